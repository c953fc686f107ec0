// SPDX-License-Identifier: Apache-2.0
//
// Each instruction that may have half floats, on a device without shaderFloat16.
#include <gtest/gtest.h>

#include <format>

#include "half_module.hpp"

namespace coopvk::rewrite::half_rows_test {
namespace {

void expectOne(const HalfParts& parts, std::string_view what) {
    std::string text = rewrittenHalves(parts);
    // Rounding adds, too.
    for (size_t at = text.find("; NoContraction"); at != text.npos;
         at = text.find("; NoContraction", at)) {
        text.erase(text.rfind('\n', at), at - text.rfind('\n', at) + 1);
    }
    EXPECT_EQ(countIn(text, what), 1u) << what << "\n" << text;
}

// Each instruction with the types of its result and of its operands.
struct Row {
    std::string_view text;  // of the instruction, behind "%r = "
    std::string_view out;   // what becomes of it, behind its result id
};

class HalfRow : public testing::TestWithParam<Row> {};

TEST_P(HalfRow, IsComputedInF32) {
    expectOne({.body = std::format("%r = {}\n", GetParam().text)},
              std::format("= {} ", GetParam().out));
}

constexpr Row kArithmetic[] = {
    {"OpFAdd %f16 %x %y", "OpFAdd %float"},
    {"OpFSub %f16x4 %v %w", "OpFSub %v4float"},
    {"OpFMul %f16 %x %y", "OpFMul %float"},
    {"OpFDiv %f16x4 %v %w", "OpFDiv %v4float"},
    {"OpFRem %f16 %x %y", "OpFRem %float"},
    {"OpFMod %f16 %x %half1", "OpFMod %float"},
    {"OpFNegate %f16x4 %v", "OpBitwiseXor %v4ushort"},
    {"OpVectorTimesScalar %f16x4 %v %x", "OpVectorTimesScalar %v4float"},
    {"OpMatrixTimesScalar %mat %m %x", "OpMatrixTimesScalar %mat4v4float"},
    {"OpVectorTimesMatrix %f16x4 %v %m", "OpVectorTimesMatrix %v4float"},
    {"OpMatrixTimesVector %f16x4 %m %v", "OpMatrixTimesVector %v4float"},
    {"OpMatrixTimesMatrix %mat %m %m", "OpMatrixTimesMatrix %mat4v4float"},
    {"OpOuterProduct %mat %v %w", "OpOuterProduct %mat4v4float"},
    {"OpTranspose %mat %m", "OpTranspose %mat4v4float"},
    {"OpDot %f16 %v %w", "OpDot %float"},
    {"OpIsNan %bool %x", "OpIsNan %bool"},
    {"OpIsInf %bool4 %v", "OpIsInf %v4bool"},
    {"OpFOrdEqual %bool %x %y", "OpFOrdEqual %bool"},
    {"OpFUnordEqual %bool %x %y", "OpFUnordEqual %bool"},
    {"OpFOrdNotEqual %bool4 %v %w", "OpFOrdNotEqual %v4bool"},
    {"OpFUnordNotEqual %bool %x %y", "OpFUnordNotEqual %bool"},
    {"OpFOrdLessThan %bool %x %y", "OpFOrdLessThan %bool"},
    {"OpFUnordLessThan %bool %x %y", "OpFUnordLessThan %bool"},
    {"OpFOrdGreaterThan %bool %x %y", "OpFOrdGreaterThan %bool"},
    {"OpFUnordGreaterThan %bool %x %y", "OpFUnordGreaterThan %bool"},
    {"OpFOrdLessThanEqual %bool %x %y", "OpFOrdLessThanEqual %bool"},
    {"OpFUnordLessThanEqual %bool %x %y", "OpFUnordLessThanEqual %bool"},
    {"OpFOrdGreaterThanEqual %bool %x %y", "OpFOrdGreaterThanEqual %bool"},
    {"OpFUnordGreaterThanEqual %bool %x %y", "OpFUnordGreaterThanEqual %bool"},
    {"OpGroupNonUniformAllEqual %bool %c3 %x", "OpGroupNonUniformAllEqual %bool"},
    {"OpGroupNonUniformFAdd %f16 %c3 Reduce %x", "OpGroupNonUniformFAdd %float"},
    {"OpGroupNonUniformFMul %f16 %c3 InclusiveScan %x", "OpGroupNonUniformFMul %float"},
    {"OpGroupNonUniformFMin %f16x4 %c3 ExclusiveScan %v", "OpGroupNonUniformFMin %v4float"},
    {"OpGroupNonUniformFMax %f16 %c3 Reduce %x", "OpGroupNonUniformFMax %float"},
    {"OpGroupNonUniformShuffle %f16 %c3 %x %i", "OpGroupNonUniformShuffle %ushort"},
    {"OpFConvert %f32 %x", "OpExtInst %v2float"},
    {"OpConvertFToU %u32 %x", "OpConvertFToU %uint"},
    {"OpConvertUToF %f16 %i", "OpConvertUToF %float"},
    {"OpSelect %f16 %flag %x %y", "OpSelect %ushort"},
    {"OpVectorExtractDynamic %f16 %v %i", "OpVectorExtractDynamic %ushort"},
};

INSTANTIATE_TEST_SUITE_P(Arithmetic, HalfRow, testing::ValuesIn(kArithmetic),
                         [](const auto& row) { return std::format("row{}", row.index); });

// Rows that need more capabilities, or that only extensions of SPIR-V allow: not validated.
TEST(HalfFloats, MoreRows) {
    constexpr std::pair<std::string_view, std::string_view> kRows[] = {
        {"OpDPdx %f16 %x", "OpDPdx %float"},
        {"OpDPdy %f16 %x", "OpDPdy %float"},
        {"OpFwidth %f16x4 %v", "OpFwidth %v4float"},
        {"OpDPdxFine %f16 %x", "OpDPdxFine %float"},
        {"OpDPdyFine %f16 %x", "OpDPdyFine %float"},
        {"OpFwidthFine %f16 %x", "OpFwidthFine %float"},
        {"OpDPdxCoarse %f16 %x", "OpDPdxCoarse %float"},
        {"OpDPdyCoarse %f16 %x", "OpDPdyCoarse %float"},
        {"OpFwidthCoarse %f16 %x", "OpFwidthCoarse %float"},
        {"OpSubgroupAllEqualKHR %bool %x", "OpSubgroupAllEqualKHR %bool"},
        {"OpGroupNonUniformBroadcast %f16 %c3 %x %c0", "OpGroupNonUniformBroadcast %ushort"},
        {"OpGroupNonUniformBroadcastFirst %f16 %c3 %x", "OpGroupNonUniformBroadcastFirst %ushort"},
        {"OpGroupNonUniformShuffleXor %f16x4 %c3 %v %i", "OpGroupNonUniformShuffleXor %v4ushort"},
        {"OpGroupNonUniformShuffleUp %f16 %c3 %x %i", "OpGroupNonUniformShuffleUp %ushort"},
        {"OpGroupNonUniformShuffleDown %f16 %c3 %x %i", "OpGroupNonUniformShuffleDown %ushort"},
        {"OpGroupNonUniformQuadBroadcast %f16 %c3 %x %c1",
         "OpGroupNonUniformQuadBroadcast %ushort"},
        {"OpGroupNonUniformQuadSwap %f16 %c3 %x %c1", "OpGroupNonUniformQuadSwap %ushort"},
        {"OpGroupNonUniformRotateKHR %f16 %c3 %x %i", "OpGroupNonUniformRotateKHR %ushort"},
        {"OpSubgroupReadInvocationKHR %f16 %x %i", "OpSubgroupReadInvocationKHR %ushort"},
        {"OpSubgroupFirstInvocationKHR %f16 %x", "OpSubgroupFirstInvocationKHR %ushort"}};
    for (const auto& [row, out] : kRows) {
        const Result<Rewritten> rewritten = rewriteHalves({.body = std::format("%r = {}\n", row)});
        ASSERT_TRUE(rewritten) << row << ": " << rewritten.error().message;
        const std::string text = disassemble(rewritten->words);
        EXPECT_EQ(countIn(text, std::format("= {} ", out)), 1u) << text;
        EXPECT_EQ(text.find("OpTypeFloat 16"), text.npos) << text;
    }
}

// The instructions of GLSL.std.450 that have results and operands of one type.
TEST(HalfFloats, InstructionsOfGlsl) {
    constexpr std::pair<std::string_view, int> kAlike[] = {
        {"Round", 1}, {"RoundEven", 1}, {"Trunc", 1},       {"FSign", 1},       {"Floor", 1},
        {"Ceil", 1},  {"Fract", 1},     {"Radians", 1},     {"Degrees", 1},     {"Sin", 1},
        {"Cos", 1},   {"Tan", 1},       {"Asin", 1},        {"Acos", 1},        {"Atan", 1},
        {"Sinh", 1},  {"Cosh", 1},      {"Tanh", 1},        {"Asinh", 1},       {"Acosh", 1},
        {"Atanh", 1}, {"Atan2", 2},     {"Pow", 2},         {"Exp", 1},         {"Log", 1},
        {"Exp2", 1},  {"Log2", 1},      {"Sqrt", 1},        {"InverseSqrt", 1}, {"FMin", 2},
        {"FMax", 2},  {"FClamp", 3},    {"FMix", 3},        {"Step", 2},        {"SmoothStep", 3},
        {"Fma", 3},   {"Normalize", 1}, {"FaceForward", 3}, {"Reflect", 2},     {"NMin", 2},
        {"NMax", 2},  {"NClamp", 3}};
    for (const auto& [name, operands] : kAlike) {
        std::string body = std::format("%r = OpExtInst %f16x4 %glsl {}", name);
        for (int o = 0; o < operands; ++o) body += o % 2 == 0 ? " %v" : " %w";
        const std::string text = rewrittenHalves({.body = body + "\n"});
        EXPECT_EQ(countIn(text, std::format(" {} %", name)), 1u) << name << "\n" << text;
        EXPECT_NE(text.find("OpName %f32x4Tof16"), text.npos) << text;
    }
}

TEST(HalfFloats, OtherInstructionsOfGlsl) {
    constexpr std::pair<std::string_view, std::string_view> kRows[] = {
        {"%f16x4 %glsl FAbs %v", "OpBitwiseAnd %v4ushort"},
        {"%f16 %glsl Determinant %m", "OpExtInst %float %glsl Determinant"},
        {"%mat %glsl MatrixInverse %m", "OpExtInst %mat4v4float %glsl MatrixInverse"},
        {"%f16 %glsl Length %v", "OpExtInst %float %glsl Length"},
        {"%f16 %glsl Distance %v %w", "OpExtInst %float %glsl Distance"},
        {"%f16x3 %glsl Cross %three %three", "OpExtInst %v3float %glsl Cross"},
        {"%f16x4 %glsl Refract %v %w %x", "OpExtInst %v4float %glsl Refract"},
        {"%f16 %glsl Ldexp %x %signed", "OpExtInst %float %glsl Ldexp"},
        {"%pair %glsl ModfStruct %x", "ModfStruct"},
        {"%split %glsl FrexpStruct %x", "FrexpStruct"},
        {"%f16 %glsl Modf %x %whole", "ModfStruct"},
        {"%f16 %glsl Frexp %x %exponent", "FrexpStruct"}};
    for (const auto& [row, out] : kRows) {
        const std::string body = std::format(
            "%three = OpVectorShuffle %f16x3 %v %v 0 1 2\n%signed = OpBitcast %i32 %i\n"
            "%r = OpExtInst {}\n",
            row);
        const std::string text = rewrittenHalves({.body = body});
        std::string found = text;
        // The set's id has no name in the output.
        for (size_t at = found.find("OpExtInst "); at != found.npos;
             at = found.find("OpExtInst ", at + 1)) {
            const size_t set = found.find('%', found.find('%', at) + 1);
            found.replace(set, found.find(' ', set) - set, "%glsl");
        }
        EXPECT_NE(found.find(out), found.npos) << row << "\n" << text;
    }
}

// Both results of modf and frexp are stored or returned.
TEST(HalfFloats, PointersGetTheSecondResult) {
    const std::string text =
        rewrittenHalves({.body = "%r = OpExtInst %f16 %glsl Modf %x %whole\n"
                                 "%s = OpExtInst %f16 %glsl Frexp %x %exponent\n"
                                 "%t = OpLoad %f16 %whole Volatile\n"
                                 "%u = OpLoad %i32 %exponent Volatile\n"});
    // Stores of what nothing else reads are volatile, too.
    EXPECT_EQ(countIn(text, "OpStore "), countIn(text, " Volatile")) << text;
    EXPECT_GE(countIn(text, "OpStore "), 4u) << text;
}

}  // namespace
}  // namespace coopvk::rewrite::half_rows_test
