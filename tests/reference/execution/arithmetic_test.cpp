// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, comparisons, bits and conversions: results as the specification's words give them.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::arithmetic_test {
namespace {

struct Row {
    const char* name;
    std::string code;                            // from %a and %b (u32) to %r (u32)
    std::vector<std::array<uint32_t, 3>> cases;  // a, b, expected
};

// `op` on operands bitcast to `type`, and its result bitcast back.
std::string on(const std::string& type, const std::string& op) {
    return "%x = OpBitcast %" + type + " %a\n%y = OpBitcast %" + type + " %b\n%z = " + op + " %" +
           type + " %x %y\n%r = OpBitcast %u32 %z\n";
}
std::string plain(const std::string& op) { return "%r = " + op + " %u32 %a %b\n"; }
// A comparison: 1 or 0.
std::string compared(const std::string& type, const std::string& op) {
    return "%x = OpBitcast %" + type + " %a\n%y = OpBitcast %" + type + " %b\n%z = " + op +
           " %bool %x %y\n%r = OpSelect %u32 %z %u_1 %u_0\n";
}
// Operands and result of another width: low bits of the words, with zeros above the result.
std::string narrow(const std::string& type, const std::string& op) {
    return "%x = OpUConvert %" + type + " %a\n%y = OpUConvert %" + type + " %b\n%z = " + op + " %" +
           type + " %x %y\n%r = OpUConvert %u32 %z\n";
}
// Halves in the low 16 bits.
std::string halves(const std::string& op) {
    return "%xs = OpUConvert %u16 %a\n%ys = OpUConvert %u16 %b\n%x = OpBitcast %f16 %xs\n"
           "%y = OpBitcast %f16 %ys\n%z = " +
           op +
           " %f16 %x %y\n%zs = OpBitcast %u16 %z\n"
           "%r = OpUConvert %u32 %zs\n";
}
// Doubles with the words as their upper halves.
std::string doubles(const std::string& op) {
    return "%xs = OpCompositeConstruct %v2u32 %u_0 %a\n%ys = OpCompositeConstruct %v2u32 %u_0 %b\n"
           "%x = OpBitcast %f64 %xs\n%y = OpBitcast %f64 %ys\n%z = " +
           op +
           " %f64 %x %y\n"
           "%zs = OpBitcast %v2u32 %z\n%r = OpCompositeExtract %u32 %zs 1\n";
}

const uint32_t kOne = 0x3F800000, kTwo = 0x40000000, kNan = 0x7FC00000, kInfinity = 0x7F800000;
constexpr uint32_t kMinus = 0xFFFFFFFF;  // -1

const Row kRows[] = {
    {"IAdd", plain("OpIAdd"), {{1, 2, 3}, {kMinus, 1, 0}}},
    {"ISub", plain("OpISub"), {{1, 2, kMinus}}},
    {"IMul", plain("OpIMul"), {{0x10001, 0x10001, 0x20001}}},
    {"UDiv", plain("OpUDiv"), {{7, 2, 3}, {kMinus, 2, 0x7FFFFFFF}}},
    {"UMod", plain("OpUMod"), {{7, 4, 3}}},
    {"SDiv", on("s32", "OpSDiv"), {{uint32_t(-7), 2, uint32_t(-3)}}},
    {"SRem", on("s32", "OpSRem"), {{7, 4, 3}, {3, 7, 3}}},
    {"SMod", on("s32", "OpSMod"), {{7, 4, 3}, {0x7FFFFFFF, 2, 1}}},
    {"IAdd8", narrow("u8", "OpIAdd"), {{200, 100, 44}}},
    {"SDiv16", narrow("u16", "OpSDiv"), {{0xFFF9, 2, 0xFFFD}}},
    {"IMul64", narrow("u64", "OpIMul"), {{0x10000, 0x10000, 0}, {3, 5, 15}}},
    {"ShiftLeft", plain("OpShiftLeftLogical"), {{3, 31, 0x80000000}}},
    {"ShiftRight", plain("OpShiftRightLogical"), {{0x80000000, 31, 1}}},
    {"ShiftArithmetic", plain("OpShiftRightArithmetic"), {{0x80000000, 31, kMinus}}},
    {"ShiftArithmetic16", narrow("u16", "OpShiftRightArithmetic"), {{0x8000, 15, 0xFFFF}}},
    {"And", plain("OpBitwiseAnd"), {{0xF0F0, 0xFF00, 0xF000}}},
    {"Xor", plain("OpBitwiseXor"), {{0xF0F0, 0xFF00, 0x0FF0}}},
    {"BitReverse", "%r = OpBitReverse %u32 %a\n", {{1, 0, 0x80000000}, {6, 0, 0x60000000}}},
    {"BitCount", "%r = OpBitCount %u32 %a\n", {{0xF0F, 0, 8}}},
    {"FieldInsert", "%r = OpBitFieldInsert %u32 %a %b %u_4 %u_8\n", {{kMinus, 0x12, 0xFFFFF12F}}},
    {"FieldSExtract",
     "%x = OpBitcast %s32 %a\n%y = OpBitFieldSExtract %s32 %x %u_4 %u_4\n"
     "%r = OpBitcast %u32 %y\n",
     {{0x80, 0, 0xFFFFFFF8}, {0x70, 0, 7}}},
    {"FieldUExtract", "%r = OpBitFieldUExtract %u32 %a %u_4 %u_4\n", {{0xABC, 0, 0xB}}},
    {"AddCarry",
     "%s = OpIAddCarry %pair %a %b\n%r = OpCompositeExtract %u32 %s 1\n",
     {{kMinus, 1, 1}, {1, 1, 0}}},
    {"AddCarrySum",
     "%s = OpIAddCarry %pair %a %b\n%r = OpCompositeExtract %u32 %s 0\n",
     {{kMinus, 2, 1}, {5, 7, 12}}},
    {"SMulLow",
     "%s = OpSMulExtended %pair %a %b\n%r = OpCompositeExtract %u32 %s 0\n",
     {{0x10001, 0x10001, 0x20001}, {kMinus, 3, uint32_t(-3)}}},
    {"SubBorrow",
     "%s = OpISubBorrow %pair %a %b\n%r = OpCompositeExtract %u32 %s 1\n",
     {{1, 2, 1}, {2, 1, 0}}},
    {"UMulHigh",
     "%s = OpUMulExtended %pair %a %b\n%r = OpCompositeExtract %u32 %s 1\n",
     {{kMinus, kMinus, 0xFFFFFFFE}}},
    {"SMulHigh",
     "%s = OpSMulExtended %pair %a %b\n%r = OpCompositeExtract %u32 %s 1\n",
     {{kMinus, kMinus, 0}, {kMinus, 1, kMinus}}},
    {"FAdd", on("f32", "OpFAdd"), {{kOne, kOne, kTwo}, {kOne, 0x33000000, kOne}}},
    {"FSub", on("f32", "OpFSub"), {{kTwo, kOne, kOne}}},
    {"FMul", on("f32", "OpFMul"), {{kTwo, kTwo, 0x40800000}, {0x3F800001, 0x3F800001, 0x3F800002}}},
    {"FDiv", on("f32", "OpFDiv"), {{kOne, 0x40400000, 0x3EAAAAAB}, {kOne, 0, kInfinity}}},
    {"FRem", on("f32", "OpFRem"), {{0xC0E00000, 0x40800000, 0xC0400000}}},  // -7 rem 4 = -3
    // -7 mod 4 = 1, 5 mod -4 = -3, 0.25 mod 0.5 = 0.25, -0.25 mod 0.5 = 0.25, 0.25 mod -0.5 = -0.25
    {"FMod",
     on("f32", "OpFMod"),
     {{0xC0E00000, 0x40800000, 0x3F800000},
      {0x40A00000, 0xC0800000, 0xC0400000},
      {0x3E800000, 0x3F000000, 0x3E800000},
      {0xBE800000, 0x3F000000, 0x3E800000},
      {0x3E800000, 0xBF000000, 0xBE800000}}},
    // 2048 + 1 is between 2048 and 2050: to even.
    {"HalfAdd", halves("OpFAdd"), {{0x3C00, 0x3C00, 0x4000}, {0x6800, 0x3C00, 0x6800}}},
    {"HalfMul", halves("OpFMul"), {{0x7BFF, 0x4000, 0x7C00}, {0x0001, 0x3800, 0x0000}}},
    {"DoubleAdd", doubles("OpFAdd"), {{0x3FF00000, 0x3FF00000, 0x40000000}}},
    {"ULess", compared("u32", "OpULessThan"), {{1, kMinus, 1}, {kMinus, 1, 0}}},
    {"SLess", compared("s32", "OpSLessThan"), {{1, kMinus, 0}, {kMinus, 1, 1}}},
    {"FOrdEqual", compared("f32", "OpFOrdEqual"), {{kOne, kOne, 1}, {kNan, kNan, 0}}},
    {"FUnordNotEqual", compared("f32", "OpFUnordNotEqual"), {{kNan, kNan, 1}, {0, 0x80000000, 0}}},
    {"FUnordLess", compared("f32", "OpFUnordLessThan"), {{kNan, kOne, 1}, {kTwo, kOne, 0}}},
    {"FOrdLess", compared("f32", "OpFOrdLessThan"), {{kOne, kTwo, 1}, {kOne, kNan, 0}}},
    {"ConvertFToS",
     "%x = OpBitcast %f32 %a\n%y = OpConvertFToS %s32 %x\n%r = OpBitcast %u32 %y\n",
     {{0xC0200000, 0, uint32_t(-2)}}},  // -2.5 toward zero
    {"ConvertUToF",
     "%x = OpConvertUToF %f32 %a\n%r = OpBitcast %u32 %x\n",
     {{0x01000001, 0, 0x4B800000}, {kMinus, 0, 0x4F800000}}},  // ties to even
    {"ConvertSToF",
     "%s = OpBitcast %s32 %a\n%x = OpConvertSToF %f32 %s\n%r = OpBitcast %u32 %x\n",
     {{kMinus, 0, 0xBF800000}}},
    {"SConvert", "%x = OpUConvert %u8 %a\n%r = OpSConvert %u32 %x\n", {{0x180, 0, 0xFFFFFF80}}},
    {"ToHalf",
     "%x = OpBitcast %f32 %a\n%y = OpFConvert %f16 %x\n%z = OpBitcast %u16 %y\n"
     "%r = OpUConvert %u32 %z\n",
     {{0x477FF000, 0, 0x7C00}, {0x477FEFFF, 0, 0x7BFF}, {0x33000000, 0, 0}, {0x33000001, 0, 1}}},
};

TEST(ReferenceArithmetic, AsTheSpecificationSays) {
    for (const Row& row : kRows) {
        ShaderText text;
        text.localSize = static_cast<uint32_t>(row.cases.size());
        text.declarations = "%pair = OpTypeStruct %u32 %u32\n";
        text.body = "%i2 = OpIMul %u32 %i %u_2\n%i3 = OpIAdd %u32 %i2 %u_1\n" +
                    loadWord("%a", "%i2") + loadWord("%b", "%i3") + row.code +
                    storeWord("%i", "%r");
        Execution r;
        for (const auto& [a, b, expected] : row.cases) {
            r.buffers[0].push_back(a);
            r.buffers[0].push_back(b);
        }
        r.buffers[1].resize(row.cases.size());
        execute(r, shader(text));
        ASSERT_EQ(r.error, "") << row.name;
        for (size_t n = 0; n < row.cases.size(); ++n)
            EXPECT_EQ(r.buffers[1][n], row.cases[n][2]) << row.name << " " << n;
        EXPECT_TRUE(r.reports.empty()) << row.name << describe(r.reports[0]);
    }
}

struct RoundedRow {
    const char* name;
    std::string code;
    uint32_t a, b;
    uint32_t down, nearest, up;
};
const RoundedRow kRounded[] = {
    {"f32 sum above 1", on("f32", "OpFAdd"), kOne, 0x30800000, kOne, kOne, 0x3F800001},
    {"f32 sum below 1", on("f32", "OpFAdd"), kOne, 0xB0800000, 0x3F7FFFFF, kOne, kOne},
    {"f32 third", on("f32", "OpFDiv"), kOne, 0x40400000, 0x3EAAAAAA, 0x3EAAAAAB, 0x3EAAAAAB},
    {"f16 third", halves("OpFDiv"), 0x3C00, 0x4200, 0x3555, 0x3555, 0x3556},
    {"f16 exact", halves("OpFAdd"), 0x3C00, 0x3C00, 0x4000, 0x4000, 0x4000},
    // The low halves are 0: 1 + 2^-60 in the upper half of the sum, or just below 1.
    {"f64 sum below 1", doubles("OpFAdd"), 0x3FF00000, 0xBC300000, 0x3FEFFFFF, 0x3FF00000,
     0x3FF00000},
    {"to f16",
     "%x = OpBitcast %f32 %a\n%y = OpFConvert %f16 %x\n%z = OpBitcast %u16 %y\n"
     "%r = OpUConvert %u32 %z\n",
     0xBF800001, 0, 0xBC01, 0xBC00, 0xBC00},
    {"from u32", "%x = OpConvertUToF %f32 %a\n%r = OpBitcast %u32 %x\n", 0x01000001, 0, 0x4B800000,
     0x4B800000, 0x4B800001},
};

// Directions of rounding that no mode of the module sets: the neighbours of an exact result.
TEST(ReferenceArithmetic, RoundsInEachDirection) {
    constexpr Direction kDirections[] = {Direction::kDownward, Direction::kNearest,
                                         Direction::kUpward};
    for (const RoundedRow& row : kRounded) {
        ShaderText text;
        text.localSize = 1;
        text.body =
            loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + row.code + storeWord("%u_0", "%r");
        std::string module = shader(text);
        const uint32_t expected[] = {row.down, row.nearest, row.up};
        Execution r;
        r.buffers[0] = {row.a, row.b};
        r.buffers[1] = {0};
        for (size_t d = 0; d < std::size(kDirections); ++d) {
            r.settings.rounding = kDirections[d];
            execute(r, module);
            EXPECT_EQ(r.error, "") << row.name;
            EXPECT_EQ(r.buffers[1][0], expected[d]) << row.name << " " << d;
        }
    }
}

// VK_KHR_shader_float_controls: RoundingModeRTZ, DenormFlushToZero.
TEST(ReferenceArithmetic, FloatControls) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities = "OpCapability RoundingModeRTZ\nOpCapability DenormFlushToZero\n";
    text.annotations = "";
    text.body = loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + on("f32", "OpFAdd") +
                storeWord("%u_0", "%r");
    std::string module = shader(text);
    const std::string mode = "OpExecutionMode %main LocalSize";
    module.insert(module.find(mode),
                  "OpExecutionMode %main RoundingModeRTZ 32\n"
                  "OpExecutionMode %main DenormFlushToZero 32\n");
    Execution r;
    r.buffers[0] = {0x3F800000, 0x337FFFFF};  // 1 + nearly 2^-24 * 2: toward zero stays 1
    r.buffers[1] = {0};
    execute(r, module);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.buffers[1][0], 0x3F800000u);
    r.buffers[0] = {0x00000001, 0x00000001};  // denormals are zeros
    execute(r, module);
    EXPECT_EQ(r.buffers[1][0], 0u);
}

}  // namespace
}  // namespace coopvk::reference::test::arithmetic_test
