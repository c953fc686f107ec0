// SPDX-License-Identifier: Apache-2.0
//
// Floats of SPV_EXT_ocp_microscaling_types and products of SPV_VALVE_mixed_float_dot_product:
// results as the texts give them.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::narrow_floats_test {
namespace {

struct Row {
    const char* name;
    std::string code;  // from %a and %b (u32) to %r (u32)
    uint32_t a, b, expected;
};

constexpr char kCapabilities[] =
    "OpCapability Float4EXT\nOpCapability Float6EXT\nOpCapability Float8UnsignedE8M0EXT\n"
    "OpCapability MXInt8EXT\nOpCapability BitcastExtractEXT\n"
    "OpCapability DotProductFloat16AccFloat32VALVE\nOpCapability DotProductFloat16AccFloat16VALVE\n"
    "OpCapability DotProductBFloat16AccVALVE\nOpCapability DotProductFloat8AccFloat32VALVE\n"
    "OpExtension \"SPV_EXT_ocp_microscaling_types\"\nOpExtension \"SPV_EXT_float8\"\n"
    "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension \"SPV_VALVE_mixed_float_dot_product\"\n";

constexpr char kTypes[] = R"(
%e2m1 = OpTypeFloat 4 Float4E2M1EXT
%e2m3 = OpTypeFloat 6 Float6E2M3EXT
%e3m2 = OpTypeFloat 6 Float6E3M2EXT
%e8m0 = OpTypeFloat 8 Float8UnsignedE8M0EXT
%mxint8 = OpTypeFloat 8 MXInt8EXT
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%bf16 = OpTypeFloat 16 BFloat16KHR
%v2e2m1 = OpTypeVector %e2m1 2
%v4e3m2 = OpTypeVector %e3m2 4
%v3u8 = OpTypeVector %u8 3
%v4u8 = OpTypeVector %u8 4
%v2f16 = OpTypeVector %f16 2
%v2bf16 = OpTypeVector %bf16 2
%v4e4m3 = OpTypeVector %e4m3 4
%v4e5m2 = OpTypeVector %e5m2 4
%h_1 = OpConstant %f16 1
%b_1 = OpConstant %bf16 1
)";

// As binary32.
std::string single(const std::string& code) {
    return code + "%y = OpFConvert %f32 %x\n%r = OpBitcast %u32 %y\n";
}
std::string extracted(const std::string& type) {
    return single("%x = OpBitcastExtractEXT %" + type + " %a %b\n");
}
std::string fromByte(const std::string& type) {
    return "%n = OpUConvert %u8 %a\n%x = OpBitcast %" + type + " %n\n";
}
std::string dot(const std::string& opcode, const std::string& vector, const std::string& sum,
                const std::string& one) {
    return "%x = OpBitcast %" + vector + " %a\n%y = OpBitcast %" + vector + " %b\n%z = " + opcode +
           " %" + sum + " %x %y %" + one + "\n" +
           (sum == "f32" ? "%r = OpBitcast %u32 %z\n"
                         : "%s = OpBitcast %u16 %z\n%r = OpUConvert %u32 %s\n");
}

const Row kRows[] = {
    {"e2m1", extracted("e2m1"), 0xFFFFFFD0, 4, 0xC0400000},            // -3
    {"e2m3", extracted("e2m3"), 0x3F << 3, 3, 0xC0F00000},             // -7.5
    {"e3m2", extracted("e3m2"), 0x1F, 0, 0x41E00000},                  // 28
    {"e3m2 denormal", extracted("e3m2"), 0x1u << 26, 26, 0x3D800000},  // 0.0625
    {"e8m0 smallest", single(fromByte("e8m0")), 0, 0, 0x00400000},     // 2^-127
    {"e8m0 largest", single(fromByte("e8m0")), 254, 0, 0x7F000000},    // 2^127
    {"e8m0 NaN", single(fromByte("e8m0")), 255, 0, 0x7FC00000},
    {"mxint8", single(fromByte("mxint8")), 0x81, 0, 0xBFFE0000},  // -127 / 64
    {"e8m0 to e4m3",
     fromByte("e8m0") +
         "%y = OpFConvert %e4m3 %x\n%z = OpBitcast %u8 %y\n%r = OpUConvert %u32 %z\n",
     127 + 9, 0, 0x7F},
    {"two in a byte",
     "%n = OpUConvert %u8 %a\n%v = OpBitcast %v2e2m1 %n\n" +
         single("%x = OpCompositeExtract %e2m1 %v 1\n"),
     0x5A, 0, 0x40400000},  // 3
    // Bits 6 to 11 of three bytes.
    {"four in three bytes",
     "%w = OpBitcast %v4u8 %a\n%v = OpVectorShuffle %v3u8 %w %w 0 1 2\n%q = OpBitcast %v4e3m2 "
     "%v\n" +
         single("%x = OpCompositeExtract %e3m2 %q 1\n"),
     0x1F << 6, 0, 0x41E00000},
    {"and back",
     "%w = OpBitcast %v4u8 %a\n%v = OpVectorShuffle %v3u8 %w %w 0 1 2\n%q = OpBitcast %v4e3m2 %v\n"
     "%t = OpVectorShuffle %v4e3m2 %q %q 3 2 1 0\n%u = OpBitcast %v3u8 %t\n"
     "%z = OpCompositeExtract %u8 %u 2\n%r = OpUConvert %u32 %z\n",
     0x2B, 0, 0x2B << 2},
    // (1, 2) and (3, 4), and 1.
    {"f16 to f32", dot("OpFDot2MixAcc32VALVE", "v2f16", "f32", "f_1"), 0x40003C00, 0x44004200,
     0x41400000},
    {"f16 to f16", dot("OpFDot2MixAcc16VALVE", "v2f16", "f16", "h_1"), 0x40003C00, 0x44004200,
     0x4A00},
    {"bf16 to f32", dot("OpFDot2MixAcc32VALVE", "v2bf16", "f32", "f_1"), 0x40003F80, 0x40804040,
     0x41400000},
    {"bf16 to bf16", dot("OpFDot2MixAcc16VALVE", "v2bf16", "bf16", "b_1"), 0x40003F80, 0x40804040,
     0x4140},
    // (1, 2, 3, 4) by itself, and 1.
    {"e4m3", dot("OpFDot4MixAcc32VALVE", "v4e4m3", "f32", "f_1"), 0x48444038, 0x48444038,
     0x41F80000},
    {"e5m2", dot("OpFDot4MixAcc32VALVE", "v4e5m2", "f32", "f_1"), 0x4442403C, 0x4442403C,
     0x41F80000},
    // Rounded once: 2048 and a product of 1 + 2^-10 are above the middle between two halves.
    {"rounded once", dot("OpFDot2MixAcc16VALVE", "v2f16", "f16", "h_1"), 0x3C006800, 0x10003C00,
     0x6801},
};

TEST(ReferenceNarrowFloats, GiveWhatTheTextsSay) {
    for (const Row& row : kRows) {
        ShaderText text;
        text.localSize = 1;
        text.capabilities = kCapabilities;
        text.declarations = kTypes;
        text.body =
            loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + row.code + storeWord("%u_0", "%r");
        Execution r;
        r.buffers[0] = {row.a, row.b};
        r.buffers[1] = {0};
        execute(r, shader(text));
        EXPECT_EQ(r.error, "") << row.name;
        EXPECT_EQ(r.buffers[1][0], row.expected) << row.name;
    }
}

// The bits that are not in the operand are undefined; a branch depends on them.
TEST(ReferenceNarrowFloats, ReportsBitsBeyondTheOperand) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities = kCapabilities;
    text.declarations = kTypes;
    text.body = loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + extracted("e2m3") +
                "%is = OpIEqual %bool %r %u_0\nOpSelectionMerge %behind None\n"
                "OpBranchConditional %is %then %behind\n%then = OpLabel\nOpBranch %behind\n"
                "%behind = OpLabel\n";
    for (const uint32_t offset : {26u, 27u}) {
        Execution r;
        r.buffers[0] = {0, offset};
        r.buffers[1] = {0};
        execute(r, shader(text));
        EXPECT_EQ(r.error, "");
        EXPECT_EQ(countReports(r, kCheckUndefined) != 0, offset == 27) << offset;
    }
}

}  // namespace
}  // namespace coopvk::reference::test::narrow_floats_test
