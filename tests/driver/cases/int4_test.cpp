// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_int4 without matrices. Each case computes one u32, %r, from one u32, %x, whose eight
// nibbles are the 4-bit values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {
namespace {

uint32_t u(uint32_t x, uint32_t i) { return x >> 4 * i & 15u; }
int32_t s(uint32_t x, uint32_t i) { return static_cast<int32_t>(x << (28 - 4 * i)) >> 28; }

struct Int4Case {
    const char* name;
    const char* declarations;
    const char* body;
    std::function<uint32_t(uint32_t x)> expected;
    const char* functions = "";
    std::vector<std::string> capabilities = {};
    const char* decorations = "";
    std::vector<std::string> interfaces = {};
    std::vector<SpecConstant> specialization = {};
    std::optional<Requirement> requirement = {};
};

constexpr const char* kTypes =
    "%s4 = OpTypeInt 4 1\n%u4 = OpTypeInt 4 0\n"
    "%s4x2 = OpTypeVector %s4 2\n%s4x3 = OpTypeVector %s4 3\n%s4x4 = OpTypeVector %s4 4\n"
    "%s4x8 = OpTypeVector %s4 8\n%u4x2 = OpTypeVector %u4 2\n%u4x4 = OpTypeVector %u4 4\n"
    "%u4x8 = OpTypeVector %u4 8\n%u4x16 = OpTypeVector %u4 16\n"
    "%boolx2 = OpTypeVector %bool 2\n%boolx4 = OpTypeVector %bool 4\n"
    "%n7 = OpConstant %s4 -7\n%n1 = OpConstant %s4 -1\n%p5 = OpConstant %s4 5\n"
    "%u13 = OpConstant %u4 13\n%u2 = OpConstant %u4 2\n";

Assembly assemblyOf(const Int4Case& c) {
    Assembly a;
    a.buffers = {{"in", "u32", 4}, {"out", "u32", 4}};
    a.capabilities = {"Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    a.capabilities.insert(a.capabilities.end(), c.capabilities.begin(), c.capabilities.end());
    a.declarations = std::string(kTypes) + c.declarations;
    a.decorations = c.decorations;
    a.interfaces = c.interfaces;
    a.functions = c.functions;
    // Variables come first in a function.
    std::string variables, rest = c.body;
    while (rest.starts_with("%var")) {
        const size_t end = rest.find('\n') + 1;
        variables += rest.substr(0, end);
        rest = rest.substr(end);
    }
    a.body = variables +
             "%gp = OpAccessChain %in_u32 %group %c_0\n%g = OpLoad %u32 %gp\n"
             "%l = OpLoad %u32 %lane\n%gw = OpIMul %u32 %g %workgroup_width\n"
             "%i = OpIAdd %u32 %gw %l\n%px = OpAccessChain %sb_u32 %in %c_0 %i\n"
             "%x = OpLoad %u32 %px\n" +
             rest;
    if (rest.find("%r = ") != rest.npos) {
        a.body += "%pr = OpAccessChain %sb_u32 %out %c_0 %i\nOpStore %pr %r\n";
    }
    return a;
}

const std::vector<Int4Case>& cases();

class Int4 : public testing::TestWithParam<size_t> {};

TEST_P(Int4, Case) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Int4Case& c = cases()[GetParam()];
    if (c.requirement) COOPVK_REQUIRE(*c.requirement);
    Rng rng(c.name);
    Dispatch dispatch;
    constexpr uint32_t kGroups = 8;
    const uint32_t count = kGroups * Context::get().subgroupSize;
    dispatch.groups = {kGroups, 1, 1};
    std::vector<uint32_t> in, want;
    for (uint32_t i = 0; i < count; ++i) {
        // All values of the lowest nibbles, and any of the others.
        in.push_back((static_cast<uint32_t>(rng.next()) & ~0xFFu) | ((i * 37u) & 0xFFu));
        want.push_back(c.expected(in.back()));
    }
    const auto bytes = [](const std::vector<uint32_t>& words) {
        const auto view = std::as_bytes(std::span(words));
        return Bytes(view.begin(), view.end());
    };
    dispatch.buffers = {bytes(in), rng.bytes(count * 4)};
    dispatch.push = pushWords({0x76543210, 0xFEDCBA98, 0x1A2B3C4D, 0x5E6F7081});
    if (std::ranges::count(c.capabilities, "PhysicalStorageBufferAddresses") != 0) {
        dispatch.addresses = {0};
    }
    const std::vector<Bytes> after =
        run(assemble(assemblyOf(c), Checked::kNo), dispatch, {.specialization = c.specialization});
    EXPECT_EQ(difference(after[1], bytes(want)), "") << c.name;
}

INSTANTIATE_TEST_SUITE_P(All, Int4, testing::Range(size_t{0}, cases().size()),
                         [](const testing::TestParamInfo<size_t>& at) {
                             return std::string(cases()[at.param].name);
                         });

uint32_t asBits(float value) { return std::bit_cast<uint32_t>(value); }

const std::vector<Int4Case>& cases() {
    static const std::vector<Int4Case> list = {
        // Scalars out of 32 bits and back.
        {"ScalarSigned", "", "%a = OpSConvert %s4 %x\n%r = OpSConvert %u32 %a\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)); }},
        {"ScalarUnsigned", "", "%a = OpUConvert %u4 %x\n%r = OpUConvert %u32 %a\n",
         [](uint32_t x) { return u(x, 0); }},
        {"ScalarOtherSign", "",
         "%a = OpSConvert %s4 %x\n%b = OpUConvert %u32 %a\n%c = OpUConvert %u4 %x\n"
         "%d = OpSConvert %u32 %c\n%e = OpIMul %u32 %d %c_64\n%r = OpIAdd %u32 %b %e\n",
         [](uint32_t x) { return u(x, 0) + static_cast<uint32_t>(s(x, 0)) * 64; }},
        {"BitcastScalars", "",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4 %a\n%c = OpUConvert %u32 %b\n"
         "%d = OpBitcast %s4 %b\n%e = OpSConvert %u32 %d\n%f = OpIMul %u32 %e %c_32\n"
         "%r = OpIAdd %u32 %c %f\n",
         [](uint32_t x) { return u(x, 0) + static_cast<uint32_t>(s(x, 0)) * 32; }},
        // Other widths.
        {"Bytes", "",
         "%a = OpUConvert %u8 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s8 %b\n"
         "%d = OpSConvert %u32 %c\n%e = OpBitcast %u4 %b\n%f = OpUConvert %u8 %e\n"
         "%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n%r = OpIAdd %u32 %d %h\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)) + u(x, 0) * 64; }},
        {"Shorts", "",
         "%a = OpUConvert %u16 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s16 %b\n"
         "%d = OpSConvert %u32 %c\n%e = OpUConvert %u4 %a\n%f = OpUConvert %u16 %e\n"
         "%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n%r = OpIAdd %u32 %d %h\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)) + u(x, 0) * 64; }},
        {"Longs",
         "",
         "%a = OpUConvert %u64 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s64 %b\n"
         "%c2 = OpBitcast %u32x2 %c\n%low = OpCompositeExtract %u32 %c2 0\n"
         "%high = OpCompositeExtract %u32 %c2 1\n%e = OpUConvert %u4 %a\n"
         "%f = OpUConvert %u64 %e\n%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n"
         "%k = OpBitwiseXor %u32 %low %high\n%r = OpIAdd %u32 %k %h\n",
         [](uint32_t x) {
             const auto low = static_cast<uint32_t>(s(x, 0));
             return u(x, 0) * 64 + (s(x, 0) < 0 ? ~low : low);
         },
         "",
         {},
         "",
         {},
         {},
         Requirement::kInt64},
        {"ToFloats", "",
         "%a = OpSConvert %s4 %x\n%b = OpConvertSToF %f32 %a\n%c = OpUConvert %u4 %x\n"
         "%d = OpConvertUToF %f32 %c\n%half = OpConvertSToF %f16 %a\n"
         "%e = OpFConvert %f32 %half\n%f = OpFMul %f32 %d %e\n%h = OpFAdd %f32 %f %b\n"
         "%r = OpBitcast %u32 %h\n",
         [](uint32_t x) {
             return asBits(static_cast<float>(u(x, 0)) * static_cast<float>(s(x, 0)) +
                           static_cast<float>(s(x, 0)));
         }},
        {"FromFloats", "%fh = OpConstant %f32 0.5\n",
         "%a = OpBitwiseAnd %u32 %x %c_7\n%b = OpConvertUToF %f32 %a\n%c = OpFAdd %f32 %b %fh\n"
         "%d = OpFNegate %f32 %c\n%e = OpConvertFToU %u4 %c\n%f = OpConvertFToS %s4 %d\n"
         "%h = OpUConvert %u32 %e\n%k = OpSConvert %u32 %f\n%m = OpIMul %u32 %k %c_64\n"
         "%r = OpIAdd %u32 %h %m\n",
         [](uint32_t x) { return (x & 7) - (x & 7) * 64; }},
        {"WidthsTogether", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpVectorShuffle %s4x4 %a %a 7 5 3 1\n"
         "%c = OpSConvert %s32x4 %b\n%d = OpConvertSToF %f32x4 %b\n"
         "%e = OpConvertFToS %s4x4 %d\n%f = OpSConvert %s4x4 %c\n%h = OpBitcast %u16 %e\n"
         "%k = OpBitcast %u16 %f\n%m = OpUConvert %u32 %h\n%n = OpUConvert %u32 %k\n"
         "%o = OpIMul %u32 %n %c_2\n%r = OpIAdd %u32 %m %o\n",
         [](uint32_t x) {
             const uint32_t v = u(x, 7) | u(x, 5) << 4 | u(x, 3) << 8 | u(x, 1) << 12;
             return v * 3;
         }},
        // Bitcasts of whole vectors.
        {"BitcastWord", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpBitcast %f32 %a\n%c = OpBitcast %u4x8 %b\n"
         "%d = OpBitcast %u8x4 %c\n%e = OpBitcast %s4x8 %d\n%f = OpBitcast %u16x2 %e\n"
         "%h = OpBitcast %u4x8 %f\n%r = OpBitcast %u32 %h\n",
         [](uint32_t x) { return x; }},
        {"BitcastSmall", "",
         "%a = OpUConvert %u8 %x\n%b = OpBitcast %u4x2 %a\n%c = OpCompositeExtract %u4 %b 0\n"
         "%d = OpCompositeExtract %u4 %b 1\n%e = OpCompositeConstruct %u4x4 %d %c %b\n"
         "%f = OpBitcast %f16 %e\n%h = OpBitcast %u16 %f\n%r = OpUConvert %u32 %h\n",
         [](uint32_t x) { return u(x, 1) | u(x, 0) << 4 | u(x, 0) << 8 | u(x, 1) << 12; }},
        {"BitcastSixteen", "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u4x16 %p\n"
         "%b = OpCompositeExtract %u4 %a 3\n%c = OpCompositeExtract %u4 %a 13\n"
         "%d = OpCompositeInsert %u4x16 %b %a 8\n%e = OpVectorInsertDynamic %u4x16 %d %c %c_1\n"
         "%q = OpBitcast %u32x2 %e\n%q0 = OpCompositeExtract %u32 %q 0\n"
         "%q1 = OpCompositeExtract %u32 %q 1\n%r = OpBitwiseXor %u32 %q0 %q1\n",
         [](uint32_t x) {
             const uint32_t low = (x & ~0xF0u) | (u(~x, 5) << 4);
             const uint32_t high = (~x & ~0xFu) | u(x, 3);
             return low ^ high;
         }},
        {"BitcastLong",
         "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u64 %p\n"
         "%b = OpBitcast %u4x16 %a\n%c = OpCompositeExtract %u4 %b 15\n%r = OpUConvert %u32 %c\n",
         [](uint32_t x) { return u(~x, 7); },
         "",
         {},
         "",
         {},
         {},
         Requirement::kInt64},
        // Composites.
        {"ExtractEach", "",
         "%a = OpBitcast %s4x8 %x\n%e0 = OpCompositeExtract %s4 %a 0\n"
         "%e3 = OpCompositeExtract %s4 %a 3\n%e7 = OpCompositeExtract %s4 %a 7\n"
         "%w0 = OpSConvert %u32 %e0\n%w3 = OpSConvert %u32 %e3\n%w7 = OpSConvert %u32 %e7\n"
         "%m3 = OpIMul %u32 %w3 %c_33\n%m7 = OpIMul %u32 %w7 %c_64\n"
         "%t = OpIAdd %u32 %w0 %m3\n%r = OpIAdd %u32 %t %m7\n",
         [](uint32_t x) {
             return static_cast<uint32_t>(s(x, 0)) + static_cast<uint32_t>(s(x, 3)) * 33 +
                    static_cast<uint32_t>(s(x, 7)) * 64;
         }},
        {"Dynamic", "",
         "%a = OpBitcast %s4x8 %x\n%k = OpBitwiseAnd %u32 %x %c_7\n"
         "%j = OpSConvert %s16 %k\n%e = OpVectorExtractDynamic %s4 %a %k\n"
         "%b = OpVectorInsertDynamic %s4x8 %a %n7 %j\n%c = OpBitcast %u32 %b\n"
         "%w = OpSConvert %u32 %e\n%r = OpBitwiseXor %u32 %c %w\n",
         [](uint32_t x) {
             const uint32_t k = x & 7;
             const uint32_t changed = (x & ~(15u << 4 * k)) | 9u << 4 * k;
             return changed ^ static_cast<uint32_t>(s(x, k));
         }},
        {"Shuffle", "",
         "%a = OpBitcast %u4x8 %x\n%y = OpNot %u32 %x\n%b = OpBitcast %u4x8 %y\n"
         "%c = OpVectorShuffle %u4x8 %a %b 15 0 14 1 13 2 12 3\n"
         "%d = OpVectorShuffle %u4x2 %c %a 0 9\n%e = OpVectorShuffle %u4x8 %d %c 1 0 2 3 4 5 6 7\n"
         "%r = OpBitcast %u32 %e\n",
         [](uint32_t x) {
             const uint32_t y = ~x;
             const uint32_t c = u(y, 7) | u(x, 0) << 4 | u(y, 6) << 8 | u(x, 1) << 12 |
                                u(y, 5) << 16 | u(x, 2) << 20 | u(y, 4) << 24 | u(x, 3) << 28;
             // d = c[0], a[1]; e = d[1], d[0], c[0], ..., c[5]
             return u(x, 1) | u(c, 0) << 4 | u(c, 0) << 8 | u(c, 1) << 12 | u(c, 2) << 16 |
                    u(c, 3) << 20 | u(c, 4) << 24 | u(c, 5) << 28;
         }},
        {"ThreeComponents", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpVectorShuffle %s4x3 %a %a 6 4 2\n"
         "%c = OpCompositeInsert %s4x3 %p5 %b 1\n%d = OpCompositeExtract %s4 %c 0\n"
         "%e = OpCompositeConstruct %s4x4 %c %d\n%f = OpBitcast %u16 %e\n"
         "%r = OpUConvert %u32 %f\n",
         [](uint32_t x) { return u(x, 6) | 5u << 4 | u(x, 2) << 8 | u(x, 6) << 12; }},
        {"StructsAndArrays",
         "%pair = OpTypeStruct %s4 %u4x8\n%two = OpTypeArray %pair %c_2\n"
         "%deep = OpTypeStruct %two %s4\n",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4x8 %x\n%p = OpCompositeConstruct %pair %a %b\n"
         "%q = OpCompositeConstruct %two %p %p\n%d = OpCompositeConstruct %deep %q %n1\n"
         "%e = OpCompositeInsert %deep %u13 %d 0 1 1 5\n%f = OpCompositeExtract %u4 %e 0 1 1 5\n"
         "%h = OpCompositeExtract %u4x8 %e 0 1 1\n%k = OpCompositeExtract %s4 %e 1\n"
         "%m = OpBitcast %u32 %h\n%n = OpUConvert %u32 %f\n%o = OpSConvert %u32 %k\n"
         "%t = OpIAdd %u32 %m %n\n%r = OpIAdd %u32 %t %o\n",
         [](uint32_t x) { return ((x & ~(15u << 20)) | 13u << 20) + 13 - 1; }},
        {"SelectAndPhi", "",
         "%a = OpBitcast %u4x8 %x\n%y = OpNot %u32 %x\n%b = OpBitcast %u4x8 %y\n"
         "%k = OpBitwiseAnd %u32 %x %c_1\n%odd = OpINotEqual %bool %k %c_0\n"
         "%c = OpSelect %u4x8 %odd %a %b\nOpSelectionMerge %join None\n"
         "OpBranchConditional %odd %yes %no\n%yes = OpLabel\n%e1 = OpCompositeExtract %u4 %c 2\n"
         "OpBranch %join\n%no = OpLabel\n%e2 = OpCompositeExtract %u4 %c 5\nOpBranch %join\n"
         "%join = OpLabel\n%e = OpPhi %u4 %e1 %yes %e2 %no\n%f = OpUConvert %u32 %e\n"
         "%h = OpBitcast %u32 %c\n%o = OpCopyObject %u4x8 %c\n%o2 = OpBitcast %u32 %o\n"
         "%t = OpIMul %u32 %o2 %c_2\n%t2 = OpIAdd %u32 %t %h\n%r = OpIAdd %u32 %f %t2\n",
         [](uint32_t x) {
             const uint32_t c = x & 1 ? x : ~x;
             return (x & 1 ? u(c, 2) : u(c, 5)) + c * 3;
         }},
        {"SelectEach", "%zero2 = OpConstantComposite %u32x2 %c_0 %c_0\n",
         "%a = OpUConvert %u8 %x\n%b = OpBitcast %u4x2 %a\n%k = OpBitwiseAnd %u32 %x %c_32\n"
         "%k2 = OpBitwiseAnd %u32 %x %c_1\n%kk = OpCompositeConstruct %u32x2 %k %k2\n"
         "%q = OpINotEqual %boolx2 %kk %zero2\n%c = OpVectorShuffle %u4x2 %b %b 1 0\n"
         "%t = OpSelect %u4x2 %q %b %c\n%t8 = OpBitcast %u8 %t\n%r = OpUConvert %u32 %t8\n",
         [](uint32_t x) { return u(x, x & 32 ? 0 : 1) | u(x, x & 1 ? 1 : 0) << 4; }},
        {"Functions",
         "%fn_type = OpTypeFunction %s4 %s4 %u4x8\n%fn_type2 = OpTypeFunction %s8 %s8 %u32\n",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4x8 %x\n%c = OpFunctionCall %s4 %pick %a %b\n"
         "%b8 = OpSConvert %s8 %x\n%c8 = OpFunctionCall %s8 %pick8 %b8 %x\n"
         "%d8 = OpSConvert %u32 %c8\n%d = OpSConvert %u32 %c\n%r = OpBitwiseXor %u32 %d %d8\n",
         [](uint32_t x) {
             return static_cast<uint32_t>(s(x, 6)) ^
                    static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(x)));
         },
         "%pick = OpFunction %s4 None %fn_type\n%pa = OpFunctionParameter %s4\n"
         "%pb = OpFunctionParameter %u4x8\n%pl = OpLabel\n%pe = OpCompositeExtract %u4 %pb 6\n"
         "%pc = OpBitcast %s4 %pe\nOpReturnValue %pc\nOpFunctionEnd\n"
         "%pick8 = OpFunction %s8 None %fn_type2\n%qa = OpFunctionParameter %s8\n"
         "%qb = OpFunctionParameter %u32\n%ql = OpLabel\nOpReturnValue %qa\nOpFunctionEnd\n"},
        {"Constants",
         "%v = OpConstantComposite %s4x8 %n7 %n1 %p5 %n7 %p5 %n1 %n1 %p5\n"
         "%null = OpConstantNull %u4x8\n%none = OpUndef %u4\n"
         "%w = OpConstantComposite %u4x16 %u13 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 "
         "%u2 %u13\n%arr = OpTypeArray %s4 %c_3\n%carr = OpConstantComposite %arr %n7 %p5 %n1\n",
         "%a = OpBitcast %u32 %v\n%b = OpCompositeInsert %u4x8 %u13 %null 2\n"
         "%c = OpBitcast %u32 %b\n%d = OpCompositeExtract %s4 %carr 1\n%e = OpSConvert %u32 %d\n"
         "%f = OpCompositeExtract %u4 %w 15\n%h = OpUConvert %u32 %f\n%k = OpBitwiseXor %u32 %a "
         "%x\n"
         "%m = OpIAdd %u32 %k %c\n%n = OpIAdd %u32 %m %e\n%r = OpIAdd %u32 %n %h\n",
         [](uint32_t x) { return (0x5FF595F9u ^ x) + (13u << 8) + 5 + 13; }},
        {"SpecConstants",
         "%sa = OpSpecConstant %s4 -3\n%sb = OpSpecConstant %u4 6\n%sd = OpSpecConstant %u4 1\n"
         "%sv = OpSpecConstantComposite %u4x4 %sb %sd %u13 %sb\n"
         "%so = OpSpecConstantOp %u32 UConvert %sb\n%se = OpSpecConstantOp %u4 CompositeExtract "
         "%sv 2\n"
         "%sw = OpSpecConstantOp %s32 SConvert %sa\n"
         "%si = OpSpecConstantOp %u4x4 CompositeInsert %sd %sv 3\n"
         "%ss = OpSpecConstantOp %u4x2 VectorShuffle %si %sv 3 4\n",
         "%a = OpSConvert %u32 %sa\n%b = OpBitcast %u16 %sv\n%c = OpUConvert %u32 %b\n"
         "%d = OpIMul %u32 %c %c_16\n%e = OpIAdd %u32 %a %d\n%f = OpIAdd %u32 %e %so\n"
         "%h = OpUConvert %u32 %se\n%k = OpIAdd %u32 %f %h\n%m = OpBitcast %u32 %sw\n"
         "%n = OpIAdd %u32 %m %x\n%s8v = OpBitcast %u8 %ss\n%s32v = OpUConvert %u32 %s8v\n"
         "%o = OpIAdd %u32 %n %s32v\n%r = OpIAdd %u32 %k %o\n",
         [](uint32_t x) {
             const uint32_t v = 9u | 1u << 4 | 13u << 8 | 9u << 12;
             return static_cast<uint32_t>(-3) + v * 16 + 9 + 13 + static_cast<uint32_t>(-3) + x +
                    (1u | 9u << 4);
         },
         "",
         {},
         "OpDecorate %sb SpecId 11\nOpDecorate %sd SpecId 12\n",
         {},
         {{11, 9, 1}}},
        // Memory.
        {"FunctionVariables",
         "%arr = OpTypeArray %s4 %c_5\n%fn_arr = OpTypePointer Function %arr\n"
         "%fn_s4 = OpTypePointer Function %s4\n%fn_v = OpTypePointer Function %u4x8\n"
         "%fn_u4 = OpTypePointer Function %u4\n",
         "%var_a = OpVariable %fn_arr Function\n%var_v = OpVariable %fn_v Function\n"
         "%var_i = OpVariable %fn_s4 Function %n7\n"
         "%k = OpUMod %u32 %x %c_5\n%e = OpSConvert %s4 %x\n%p = OpAccessChain %fn_s4 %var_a %k\n"
         "OpStore %p %e\n%v = OpBitcast %u4x8 %x\nOpStore %var_v %v\n"
         "%pc = OpAccessChain %fn_u4 %var_v %c_3\nOpStore %pc %u13\n%k7 = OpBitwiseAnd %u32 %x "
         "%c_7\n"
         "%pd = OpInBoundsAccessChain %fn_u4 %var_v %k7\n%dyn = OpLoad %u4 %pd\n"
         "%all = OpLoad %u4x8 %var_v\n%back = OpLoad %s4 %p\n%init = OpLoad %s4 %var_i\n"
         "%w1 = OpBitcast %u32 %all\n%w2 = OpSConvert %u32 %back\n%w3 = OpSConvert %u32 %init\n"
         "%w4 = OpUConvert %u32 %dyn\n%t1 = OpIAdd %u32 %w1 %w2\n%t2 = OpIAdd %u32 %t1 %w3\n"
         "%r = OpIAdd %u32 %t2 %w4\n",
         [](uint32_t x) {
             const uint32_t all = (x & ~0xF000u) | 13u << 12;
             return all + static_cast<uint32_t>(s(x, 0)) - 7 + u(all, x & 7);
         }},
        {"PrivateAndWorkgroup",
         "%pv_s4 = OpTypePointer Private %s4\n%pv = OpVariable %pv_s4 Private %n1\n"
         "%arr = OpTypeArray %u4x4 %c_64\n%wg_arr = OpTypePointer Workgroup %arr\n"
         "%wg_v = OpTypePointer Workgroup %u4x4\n%wg_u4 = OpTypePointer Workgroup %u4\n"
         "%wg = OpVariable %wg_arr Workgroup\n",
         "%init = OpLoad %s4 %pv\n%e = OpSConvert %s4 %x\nOpStore %pv %e\n%back = OpLoad %s4 %pv\n"
         "%h = OpUConvert %u16 %x\n%v = OpBitcast %u4x4 %h\n%p = OpAccessChain %wg_v %wg %l\n"
         "OpStore %p %v\n%pc = OpAccessChain %wg_u4 %wg %l %c_2\n%c = OpLoad %u4 %pc\n"
         "OpStore %pc %u2\n%all = OpLoad %u4x4 %p\n%w0 = OpBitcast %u16 %all\n"
         "%w1 = OpUConvert %u32 %w0\n%w2 = OpSConvert %u32 %back\n%w3 = OpSConvert %u32 %init\n"
         "%w4 = OpUConvert %u32 %c\n%t1 = OpIAdd %u32 %w1 %w2\n%t2 = OpIAdd %u32 %t1 %w3\n"
         "%r = OpIAdd %u32 %t2 %w4\n",
         [](uint32_t x) {
             return ((x & 0xF0FFu) | 2u << 8) + static_cast<uint32_t>(s(x, 0)) - 1 + u(x, 2);
         },
         "",
         {},
         "",
         {"%pv", "%wg"}},
        {"PushConstants",
         "%inner = OpTypeStruct %u4x2 %u4x4\n%arr = OpTypeArray %u4x8 %c_2\n"
         "%block = OpTypeStruct %inner %s4x8 %arr\n%pc_block = OpTypePointer PushConstant %block\n"
         "%pc_2 = OpTypePointer PushConstant %u4x2\n%pc_4 = OpTypePointer PushConstant %u4x4\n"
         "%pc_s8 = OpTypePointer PushConstant %s4x8\n%pc_8 = OpTypePointer PushConstant %u4x8\n"
         "%pc_s = OpTypePointer PushConstant %s4\n%push = OpVariable %pc_block PushConstant\n",
         "%p2 = OpAccessChain %pc_2 %push %c_0 %c_0\n%p4 = OpAccessChain %pc_4 %push %c_0 %c_1\n"
         "%ps = OpAccessChain %pc_s8 %push %c_1\n%k = OpBitwiseAnd %u32 %x %c_1\n"
         "%p8 = OpAccessChain %pc_8 %push %c_2 %k\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%p1 = OpAccessChain %pc_s %push %c_1 %k7\n%v2 = OpLoad %u4x2 %p2\n"
         "%v4 = OpLoad %u4x4 %p4\n%vs = OpLoad %s4x8 %ps\n%v8 = OpLoad %u4x8 %p8\n"
         "%v1 = OpLoad %s4 %p1\n%e = OpCompositeExtract %u4 %v2 1\n%w2 = OpUConvert %u32 %e\n"
         "%e4 = OpBitcast %u16 %v4\n%w4 = OpUConvert %u32 %e4\n%ws = OpBitcast %u32 %vs\n"
         "%w8 = OpBitcast %u32 %v8\n%w1 = OpSConvert %u32 %v1\n%t1 = OpIAdd %u32 %w2 %w4\n"
         "%t2 = OpIAdd %u32 %ws %w8\n%t3 = OpIAdd %u32 %t1 %t2\n%r = OpIAdd %u32 %t3 %w1\n",
         [](uint32_t x) {
             const uint32_t a = 0x76543210, b = 0xFEDCBA98;
             const uint32_t c[] = {0x1A2B3C4D, 0x5E6F7081};
             return u(a, 1) + (a >> 16) + b + c[x & 1] + static_cast<uint32_t>(s(b, x & 7));
         },
         "",
         {},
         "OpDecorate %block Block\nOpMemberDecorate %inner 0 Offset 0\n"
         "OpMemberDecorate %inner 1 Offset 2\nOpMemberDecorate %block 0 Offset 0\n"
         "OpMemberDecorate %block 1 Offset 4\nOpMemberDecorate %block 2 Offset 8\n"
         "OpDecorate %arr ArrayStride 4\n",
         {"%push"}},
        // Two views of one binding: words as vectors of eight, and as structures of small ones.
        {"StorageBuffers",
         "%arr8 = OpTypeRuntimeArray %s4x8\n%block8 = OpTypeStruct %arr8\n"
         "%small = OpTypeStruct %u4x2 %u4x2 %u4x4\n%arrs = OpTypeRuntimeArray %small\n"
         "%blocks = OpTypeStruct %arrs\n%sb_block8 = OpTypePointer StorageBuffer %block8\n"
         "%sb_blocks = OpTypePointer StorageBuffer %blocks\n%sb_8 = OpTypePointer StorageBuffer "
         "%s4x8\n"
         "%sb_s4 = OpTypePointer StorageBuffer %s4\n%sb_2 = OpTypePointer StorageBuffer %u4x2\n"
         "%sb_4 = OpTypePointer StorageBuffer %u4x4\n%sb_u4 = OpTypePointer StorageBuffer %u4\n"
         "%in8 = OpVariable %sb_block8 StorageBuffer\n%out4 = OpVariable %sb_blocks "
         "StorageBuffer\n",
         "%p8 = OpAccessChain %sb_8 %in8 %c_0 %i\n%v = OpLoad %s4x8 %p8\n"
         "%k7 = OpBitwiseAnd %u32 %x %c_7\n%pd = OpAccessChain %sb_s4 %in8 %c_0 %i %k7\n"
         "%d = OpLoad %s4 %pd\n%du = OpBitcast %u4 %d\n%e0 = OpCompositeExtract %s4 %v 0\n"
         "%e5 = OpCompositeExtract %s4 %v 5\n%s2 = OpCompositeConstruct %s4x2 %e0 %e5\n"
         "%u2v = OpBitcast %u4x2 %s2\n%q4 = OpVectorShuffle %u4x4 %u2v %u2v 1 1 0 0\n"
         "%m0 = OpAccessChain %sb_2 %out4 %c_0 %i %c_0\nOpStore %m0 %u2v\n"
         "%m1 = OpAccessChain %sb_2 %out4 %c_0 %i %c_1\nOpStore %m1 %u2v\n"
         "%m1b = OpAccessChain %sb_u4 %out4 %c_0 %i %c_1 %c_1\nOpStore %m1b %du\n"
         "%m2 = OpAccessChain %sb_4 %out4 %c_0 %i %c_2\nOpStore %m2 %q4\n"
         "%k3 = OpBitwiseAnd %u32 %x %c_3\n%m2d = OpAccessChain %sb_u4 %m2 %k3\n"
         "OpStore %m2d %u13\n",
         [](uint32_t x) {
             const uint32_t two = u(x, 0) | u(x, 5) << 4;
             uint32_t four = u(x, 5) | u(x, 5) << 4 | u(x, 0) << 8 | u(x, 0) << 12;
             four = (four & ~(15u << 4 * (x & 3))) | 13u << 4 * (x & 3);
             return two | (u(x, 0) | u(x, x & 7) << 4) << 8 | four << 16;
         },
         "",
         {},
         "OpDecorate %arr8 ArrayStride 4\nOpDecorate %block8 Block\n"
         "OpMemberDecorate %block8 0 Offset 0\nOpDecorate %in8 DescriptorSet 0\n"
         "OpDecorate %in8 Binding 0\nOpMemberDecorate %small 0 Offset 0\n"
         "OpMemberDecorate %small 1 Offset 1\nOpMemberDecorate %small 2 Offset 2\n"
         "OpDecorate %arrs ArrayStride 4\nOpDecorate %blocks Block\n"
         "OpMemberDecorate %blocks 0 Offset 0\nOpDecorate %out4 DescriptorSet 0\n"
         "OpDecorate %out4 Binding 1\n",
         {"%in8", "%out4"}},
        // Sixteen components are two of the input's words.
        {"StorageBufferSixteen",
         "%arr16 = OpTypeRuntimeArray %u4x16\n%block16 = OpTypeStruct %arr16\n"
         "%sb_block16 = OpTypePointer StorageBuffer %block16\n"
         "%sb_16 = OpTypePointer StorageBuffer %u4x16\n%sb_u4 = OpTypePointer StorageBuffer %u4\n"
         "%in16 = OpVariable %sb_block16 StorageBuffer\n",
         "%half = OpShiftRightLogical %u32 %i %c_1\n%p16 = OpAccessChain %sb_16 %in16 %c_0 %half\n"
         "%v = OpLoad %u4x16 %p16\n%w = OpBitcast %u32x2 %v\n%odd = OpBitwiseAnd %u32 %i %c_1\n"
         "%mine = OpVectorExtractDynamic %u32 %w %odd\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%o8 = OpIMul %u32 %odd %c_8\n%k = OpIAdd %u32 %o8 %k7\n"
         "%pd = OpAccessChain %sb_u4 %in16 %c_0 %half %k\n%d = OpLoad %u4 %pd\n"
         "%e = OpVectorExtractDynamic %u4 %v %k\n%d32 = OpUConvert %u32 %d\n"
         "%e32 = OpUConvert %u32 %e\n%t = OpIAdd %u32 %mine %d32\n%r = OpIAdd %u32 %t %e32\n",
         [](uint32_t x) { return x + 2 * u(x, x & 7); },
         "",
         {},
         "OpDecorate %arr16 ArrayStride 8\nOpDecorate %block16 Block\n"
         "OpMemberDecorate %block16 0 Offset 0\nOpDecorate %in16 DescriptorSet 0\n"
         "OpDecorate %in16 Binding 0\n",
         {"%in16"}},
        {"PhysicalPointers",
         "%arr8 = OpTypeRuntimeArray %u4x8\n%block8 = OpTypeStruct %arr8\n"
         "%ph_block = OpTypePointer PhysicalStorageBuffer %block8\n"
         "%ph_8 = OpTypePointer PhysicalStorageBuffer %u4x8\n"
         "%ph_u4 = OpTypePointer PhysicalStorageBuffer %u4\n%pushed = OpTypeStruct %ph_block\n"
         "%pc_pushed = OpTypePointer PushConstant %pushed\n"
         "%pc_ph = OpTypePointer PushConstant %ph_block\n%push = OpVariable %pc_pushed "
         "PushConstant\n",
         "%pp = OpAccessChain %pc_ph %push %c_0\n%base = OpLoad %ph_block %pp\n"
         "%p8 = OpAccessChain %ph_8 %base %c_0 %i\n%v = OpLoad %u4x8 %p8 Aligned 4\n"
         "%k7 = OpBitwiseAnd %u32 %x %c_7\n%pd = OpAccessChain %ph_u4 %base %c_0 %i %k7\n"
         "%d = OpLoad %u4 %pd Aligned 4\n%w = OpBitcast %u32 %v\n%d32 = OpUConvert %u32 %d\n"
         "%r = OpIAdd %u32 %w %d32\n",
         [](uint32_t x) { return x + u(x, x & 7); },
         "",
         {"PhysicalStorageBufferAddresses"},
         "OpDecorate %arr8 ArrayStride 4\nOpDecorate %block8 Block\n"
         "OpMemberDecorate %block8 0 Offset 0\nOpDecorate %pushed Block\n"
         "OpMemberDecorate %pushed 0 Offset 0\n",
         {"%push"}},
    };
    return list;
}

// Refused with a line in the log that names the rule.
void expectRefused(const char* declarations, const char* body, const std::string& rule,
                   const char* decorations = "", std::vector<std::string> interfaces = {}) {
    Context& context = Context::get();
    const Layout layout(context);
    const Int4Case c{"Refused", declarations, body,        [](uint32_t x) { return x; },
                     "",        {},           decorations, std::move(interfaces)};
    LayerLog::take();
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = createPipeline(context, layout.pipeline,
                                           assemble(assemblyOf(c), Checked::kNo), {}, &pipeline);
    EXPECT_EQ(result, VK_ERROR_UNKNOWN) << rule;
    EXPECT_EQ(pipeline, VkPipeline{});
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find(rule), std::string::npos) << log;
    vkDestroyPipeline(context.device, pipeline, nullptr);
}

TEST(Int4BadCode, Refused) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string even = "vectors with an even Component Count";
    const char* binding =
        "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\nOpDecorate %v DescriptorSet 0\n"
        "OpDecorate %v Binding 1\n";
    expectRefused(
        "%b = OpTypeStruct %s4x3\n%p = OpTypePointer StorageBuffer %b\n"
        "%v = OpVariable %p StorageBuffer\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, binding, {"%v"});
    expectRefused(
        "%b = OpTypeStruct %u4\n%p = OpTypePointer StorageBuffer %b\n"
        "%v = OpVariable %p StorageBuffer\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, binding, {"%v"});
    expectRefused(
        "%arr = OpTypeArray %u4 %c_8\n%p = OpTypePointer Workgroup %arr\n"
        "%v = OpVariable %p Workgroup\n",
        "%r = OpIAdd %u32 %x %c_0\n", even, "", {"%v"});
    const std::string instructions = "not one of the instructions that may take 4-bit integers";
    expectRefused("", "%a = OpUConvert %u4 %x\n%b = OpIAdd %u4 %a %a\n%r = OpUConvert %u32 %b\n",
                  instructions);
    expectRefused("", "%a = OpBitcast %u4x8 %x\n%b = OpNot %u4x8 %a\n%r = OpBitcast %u32 %b\n",
                  instructions);
    expectRefused("",
                  "%a = OpUConvert %u4 %x\n%q = OpIEqual %bool %a %u13\n"
                  "%r = OpSelect %u32 %q %c_1 %c_0\n",
                  instructions);
    expectRefused("%wide = OpTypeVector %u32 8\n", "%r = OpIAdd %u32 %x %c_0\n",
                  "vectors of more than four components are for 4-bit integers only");
    expectRefused("", "%a = OpBitcast %u4x4 %x\n%b = OpBitcast %u16 %a\n%r = OpUConvert %u32 %b\n",
                  "a bitcast keeps the number of bits");
}

}  // namespace
}  // namespace coopvk::test
