// SPDX-License-Identifier: Apache-2.0
//
// Half floats where the device has no shaderFloat16.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {
namespace {

constexpr auto kFloat16 = Extension::kKhrShaderFloat16Int8;

struct Parts {
    std::string capabilities, modes, decorations, globals, body;
};

// Loads x and y of f16, v and w of four f16, m of a matrix, i of an integer, and f of f32.
std::string moduleOf(const Parts& parts) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability Int16
OpCapability StorageBuffer16BitAccess
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformShuffle
{}
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer %held
OpExecutionMode %main LocalSize 1 1 1
{}
OpName %f16 "half"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 2
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 16
OpMemberDecorate %block 4 Offset 24
OpMemberDecorate %block 5 Offset 28
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%bool4 = OpTypeVector %bool 4
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u16 = OpTypeInt 16 0
%f32 = OpTypeFloat 32
%f16 = OpTypeFloat 16
%f16x2 = OpTypeVector %f16 2
%f16x3 = OpTypeVector %f16 3
%f16x4 = OpTypeVector %f16 4
%mat = OpTypeMatrix %f16x4 4
%pair = OpTypeStruct %f16 %f16
%split = OpTypeStruct %f16 %i32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%half1 = OpConstant %f16 0x1p+0
%true = OpConstantTrue %bool
%block = OpTypeStruct %f16 %f16 %f16x4 %f16x4 %f32 %u32
%p_block = OpTypePointer StorageBuffer %block
%p_f16 = OpTypePointer StorageBuffer %f16
%p_f16x4 = OpTypePointer StorageBuffer %f16x4
%p_f32 = OpTypePointer StorageBuffer %f32
%p_u32 = OpTypePointer StorageBuffer %u32
%p_mat = OpTypePointer Private %mat
%p_half = OpTypePointer Function %f16
%p_int = OpTypePointer Function %i32
%buffer = OpVariable %p_block StorageBuffer
%held = OpVariable %p_mat Private
{}
%main = OpFunction %void None %function
%label = OpLabel
%whole = OpVariable %p_half Function
%exponent = OpVariable %p_int Function
%at0 = OpAccessChain %p_f16 %buffer %c0
%at1 = OpAccessChain %p_f16 %buffer %c1
%at2 = OpAccessChain %p_f16x4 %buffer %c2
%at3 = OpAccessChain %p_f16x4 %buffer %c3
%at4 = OpAccessChain %p_f32 %buffer %c4
%at5 = OpAccessChain %p_u32 %buffer %c5
%x = OpLoad %f16 %at0
%y = OpLoad %f16 %at1
%v = OpLoad %f16x4 %at2
%w = OpLoad %f16x4 %at3
%f = OpLoad %f32 %at4
%i = OpLoad %u32 %at5
%m = OpLoad %mat %held
{}
OpReturn
OpFunctionEnd
)",
                       parts.capabilities, parts.modes, parts.decorations, parts.globals,
                       parts.body);
}

Target lacking() {
    Target target;
    target.emulated.insert(kFloat16);
    target.device.shaderFloat16 = false;
    target.device.emulatesFloat16 = true;
    return target;
}

Result<Rewritten> run(const Parts& parts) {
    const std::vector<uint32_t> words = test::assemble(moduleOf(parts));
    EXPECT_TRUE(scan(words, lacking().emulated).contains(kFloat16));
    Request request;
    request.words = words;
    return rewrite(request, lacking());
}

std::string textOf(const Parts& parts) {
    EXPECT_EQ(validate(test::assemble(moduleOf(parts))), std::nullopt);
    const Result<Rewritten> out = run(parts);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    const std::string text = disassemble(out->words);
    EXPECT_EQ(validate(out->words), std::nullopt) << text;
    EXPECT_EQ(text.find("OpTypeFloat 16"), text.npos) << text;
    EXPECT_EQ(text.find("Float16"), text.npos) << text;
    return text;
}

size_t count(std::string_view text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

void expectOne(const Parts& parts, std::string_view what) {
    std::string text = textOf(parts);
    // Rounding adds, too.
    for (size_t at = text.find("; NoContraction"); at != text.npos;
         at = text.find("; NoContraction", at)) {
        text.erase(text.rfind('\n', at), at - text.rfind('\n', at) + 1);
    }
    EXPECT_EQ(count(text, what), 1u) << what << "\n" << text;
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
    {"OpSelect %f16 %true %x %y", "OpSelect %ushort"},
    {"OpVectorExtractDynamic %f16 %v %i", "OpVectorExtractDynamic %ushort"},
};

INSTANTIATE_TEST_SUITE_P(Arithmetic, HalfRow, testing::ValuesIn(kArithmetic),
                         [](const auto& row) { return std::format("row{}", row.index); });

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
        const std::string text = textOf({.body = body + "\n"});
        EXPECT_EQ(count(text, std::format(" {} %", name)), 1u) << name << "\n" << text;
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
        const std::string text = textOf({.body = body});
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

// Both results of modf and frexp are stored or given.
TEST(HalfFloats, PointersGetTheSecondResult) {
    const std::string text = textOf({.body = "%r = OpExtInst %f16 %glsl Modf %x %whole\n"
                                             "%s = OpExtInst %f16 %glsl Frexp %x %exponent\n"});
    EXPECT_EQ(count(text, "OpStore "), 2u) << text;
}

TEST(HalfFloats, RoundingModesOfConversions) {
    const std::string text = textOf({.decorations = "OpDecorate %a FPRoundingMode RTZ\n"
                                                    "OpDecorate %b FPRoundingMode RTE\n",
                                     .body = "%a = OpFConvert %f16 %f\n%b = OpFConvert %f16 %f\n"
                                             "OpStore %at0 %a\nOpStore %at1 %b\n"});
    EXPECT_EQ(count(text, "OpName %f32x1Tof16TowardZero "), 1u) << text;
    EXPECT_EQ(count(text, "OpName %f32x1Tof16 "), 1u) << text;
    EXPECT_EQ(text.find("FPRoundingMode"), text.npos);
}

TEST(HalfFloats, LayoutsAndConstantsStay) {
    const std::string text =
        textOf({.globals = "%k = OpConstantComposite %f16x4 %half1 %half1 %half1 %half1\n"
                           "%z = OpConstantNull %mat\n",
                .body = "OpStore %at2 %k\nOpStore %held %z\nOpStore %at0 %half1\n"});
    EXPECT_NE(text.find("OpTypeStruct %ushort %ushort %v4ushort %v4ushort %float %uint"), text.npos)
        << text;
    EXPECT_NE(text.find("OpConstant %ushort 15360"), text.npos) << text;
    EXPECT_NE(text.find("OpTypeArray %v4ushort %"), text.npos) << text;
}

// The layer offers no float controls of half floats.
TEST(HalfFloats, ModesGo) {
    const std::string text = textOf({.capabilities = "OpCapability DenormPreserve\n"
                                                     "OpCapability RoundingModeRTE\n"
                                                     "OpExtension \"SPV_KHR_float_controls\"\n",
                                     .modes = "OpExecutionMode %main DenormPreserve 16\n"
                                              "OpExecutionMode %main RoundingModeRTE 16\n"
                                              "OpExecutionMode %main RoundingModeRTE 32\n",
                                     .body = "%r = OpFAdd %f16 %x %y\n"});
    EXPECT_EQ(text.find("DenormPreserve"), text.npos) << text;
    EXPECT_EQ(count(text, " RoundingModeRTE 32"), 1u) << text;
    EXPECT_EQ(count(text, "OpCapability RoundingModeRTE"), 1u) << text;
}

void expectError(const Parts& parts, ErrorCode code, std::string_view what) {
    const Result<Rewritten> out = run(parts);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, code);
    EXPECT_NE(out.error().message.find(what), std::string::npos) << out.error().message;
}

TEST(HalfFloats, WhatIsRefused) {
    expectError({.globals = "%p_in = OpTypePointer Input %f16\n%in = OpVariable %p_in Input\n"},
                ErrorCode::kUnsupported, "storage class Input or Output");
    expectError({.globals = "%image = OpTypeImage %f16 2D 0 0 0 1 Unknown\n"},
                ErrorCode::kUnsupported, "a type of this kind cannot consist of half floats");
    expectError({.decorations = "OpMemberDecorate %outer 0 Offset 0\n"
                                "OpMemberDecorate %outer 0 ColMajor\n"
                                "OpMemberDecorate %outer 0 MatrixStride 8\n",
                 .globals = "%outer = OpTypeStruct %mat\n"},
                ErrorCode::kUnsupported, "a matrix of half floats");
    expectError({.body = "%r = OpAtomicFAddEXT %f16 %at0 %c1 %c0 %x\n"}, ErrorCode::kUnsupported,
                "not one of the instructions for which coopvk emulates half floats");
}

// Modules with 16-bit storage and conversions alone are the driver's.
TEST(HalfFloats, StorageAloneIsNotEmulated) {
    std::string text = moduleOf({.body = "%r = OpFConvert %f32 %x\n"});
    text.erase(text.find("OpCapability Float16\n"),
               std::string_view("OpCapability Float16\n").size());
    EXPECT_TRUE(scan(test::assemble(text), lacking().emulated).empty());
}

// Devices that have half floats keep them.
TEST(HalfFloats, AreNotAmongAllThatIsEmulated) {
    EXPECT_FALSE(ExtensionSet::all().contains(kFloat16));
    EXPECT_TRUE(scan(test::assemble(moduleOf({})), ExtensionSet::all()).empty());
}

// bfloat16 honours the rounding mode, too.
TEST(HalfFloats, BfloatRoundsTowardZero) {
    const Result<Rewritten> out =
        run({.capabilities = "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n",
             .decorations = "OpDecorate %a FPRoundingMode RTZ\n",
             .globals = "%bf16 = OpTypeFloat 16 BFloat16KHR\n",
             .body = "%a = OpFConvert %bf16 %f\n%b = OpBitcast %u16 %a\n"});
    ASSERT_TRUE(out) << out.error().message;
    const std::string text = disassemble(out->words);
    EXPECT_NE(text.find("OpShiftRightLogical %uint"), text.npos) << text;
    // The sum that rounds to nearest even is missing.
    EXPECT_EQ(text.find("OpConstant %uint 32767"), text.npos) << text;
}

}  // namespace
}  // namespace coopvk::rewrite
