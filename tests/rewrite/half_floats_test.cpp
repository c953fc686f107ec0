// SPDX-License-Identifier: Apache-2.0
//
// Half floats on a device without shaderFloat16: modes, layouts, and what is refused.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "half_module.hpp"

namespace coopvk::rewrite::half_floats_test {
namespace {

constexpr auto kFloat16 = Extension::kKhrShaderFloat16Int8;

TEST(HalfFloats, RoundingModesOfConversions) {
    const std::string text =
        rewrittenHalves({.decorations = "OpDecorate %a FPRoundingMode RTZ\n"
                                        "OpDecorate %b FPRoundingMode RTE\n",
                         .body = "%a = OpFConvert %f16 %f\n%b = OpFConvert %f16 %f\n"
                                 "OpStore %at0 %a\nOpStore %at1 %b\n"});
    EXPECT_EQ(countIn(text, "OpName %f32x1Tof16TowardZero "), 1u) << text;
    EXPECT_EQ(countIn(text, "OpName %f32x1Tof16 "), 1u) << text;
    EXPECT_EQ(text.find("FPRoundingMode"), text.npos);
}

// Code that rounds takes bits apart, also those of NaN and infinities, of which the default says
// that there are none (SPV_KHR_float_controls2, FPFastMathDefault).
TEST(HalfFloats, RoundingHasNoFastMath) {
    const std::string text =
        rewrittenHalves({.capabilities = "OpCapability FloatControls2\n"
                                         "OpExtension \"SPV_KHR_float_controls2\"\n",
                         .modes = "OpExecutionModeId %main FPFastMathDefault %f32 %flags\n",
                         .globals = "%flags = OpConstant %u32 7\n",
                         .body = "%a = OpFConvert %f16 %f\nOpStore %at0 %a\n"});
    ASSERT_EQ(countIn(text, "OpFAdd"), 1u) << text;
    const size_t sum = text.find("OpFAdd");
    const std::string line = text.substr(sum, text.find('\n', sum) - sum);
    EXPECT_NE(line.find("; FPFastMathMode None"), line.npos) << text;
}

TEST(HalfFloats, LayoutsAndConstantsStay) {
    const std::string text =
        rewrittenHalves({.globals = "%k = OpConstantComposite %f16x4 %half1 %half1 %half1 %half1\n"
                                    "%z = OpConstantNull %mat\n",
                         .body = "OpStore %at2 %k\nOpStore %held %z\nOpStore %at0 %half1\n"});
    EXPECT_NE(text.find("OpTypeStruct %ushort %ushort %v4ushort %v4ushort %float %uint"), text.npos)
        << text;
    EXPECT_NE(text.find("OpConstant %ushort 15360"), text.npos) << text;
    EXPECT_NE(text.find("OpTypeArray %v4ushort %"), text.npos) << text;
}

// The layer offers no float controls of half floats.
TEST(HalfFloats, ModesGo) {
    const std::string text =
        rewrittenHalves({.capabilities = "OpCapability DenormPreserve\n"
                                         "OpCapability RoundingModeRTE\n"
                                         "OpExtension \"SPV_KHR_float_controls\"\n",
                         .modes = "OpExecutionMode %main DenormPreserve 16\n"
                                  "OpExecutionMode %main RoundingModeRTE 16\n"
                                  "OpExecutionMode %main RoundingModeRTE 32\n",
                         .body = "%r = OpFAdd %f16 %x %y\n"});
    EXPECT_EQ(text.find("DenormPreserve"), text.npos) << text;
    EXPECT_EQ(countIn(text, " RoundingModeRTE 32"), 1u) << text;
    EXPECT_EQ(countIn(text, "OpCapability RoundingModeRTE"), 1u) << text;
}

// Halves are computed in f32, so they keep what f32 keeps.
TEST(HalfFloats, SignedZerosAreThoseOfSingles) {
    const std::string of16 = "OpExecutionMode %main SignedZeroInfNanPreserve 16\n";
    const std::string of32 = "OpExecutionMode %main SignedZeroInfNanPreserve 32\n";
    for (const std::string& modes : {of16, of32, of16 + of32, of32 + of16}) {
        const std::string text =
            rewrittenHalves({.capabilities = "OpCapability SignedZeroInfNanPreserve\n"
                                             "OpExtension \"SPV_KHR_float_controls\"\n",
                             .modes = modes,
                             .body = "%r = OpFAdd %f16 %x %y\n"});
        EXPECT_EQ(countIn(text, " SignedZeroInfNanPreserve 32"), 1u) << modes << text;
        EXPECT_EQ(countIn(text, " SignedZeroInfNanPreserve 16"), 0u) << text;
        EXPECT_EQ(countIn(text, "OpCapability SignedZeroInfNanPreserve"), 1u) << text;
    }
}

std::string withDefaults(std::string_view modes) {
    return rewrittenHalves({.capabilities = "OpCapability FloatControls2\n"
                                            "OpExtension \"SPV_KHR_float_controls2\"\n",
                            .modes = std::string(modes),
                            .globals = "%none = OpConstant %u32 0\n"
                                       "%both = OpConstant %u32 3\n"
                                       "%three = OpConstant %u32 7\n",
                            .body = "%r = OpFAdd %f16 %x %y\nOpStore %at0 %r\n"});
}

// What f32 may assume of values: no more than the module allows for f16, and for f32. An entry
// point with defaults has none of the flags for the types that it does not name.
TEST(HalfFloats, FastMathIsThatOfBothTypes) {
    const std::string halves = "OpExecutionModeId %main FPFastMathDefault %f16 ";
    const std::string singles = "OpExecutionModeId %main FPFastMathDefault %f32 ";
    for (const auto& [modes, flags] : {
             std::pair(halves + "%none\n" + singles + "%three\n", "%uint_0"),
             std::pair(halves + "%both\n" + singles + "%three\n", "%uint_3"),
             std::pair(halves + "%three\n" + singles + "%none\n", "%uint_0"),
             std::pair(halves + "%three\n", "%uint_0"),
         }) {
        const std::string text = withDefaults(modes);
        EXPECT_EQ(countIn(text, "FPFastMathDefault %float " + std::string(flags) + "\n"), 1u)
            << modes << text;
        EXPECT_EQ(countIn(text, "FPFastMathDefault"), 1u) << text;
    }
}

void expectError(const HalfParts& parts, ErrorCode code, std::string_view what) {
    const Result<Rewritten> out = rewriteHalves(parts);
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
                                "OpMemberDecorate %outer 0 RowMajor\n"
                                "OpMemberDecorate %outer 0 MatrixStride 8\n",
                 .globals = "%outer = OpTypeStruct %mat\n"},
                ErrorCode::kUnsupported, "is row-major or has several strides");
    expectError({.capabilities = "OpCapability UntypedPointersKHR\n"
                                 "OpExtension \"SPV_KHR_untyped_pointers\"\n",
                 .globals = "%anywhere = OpTypeUntypedPointerKHR StorageBuffer\n",
                 .body = "%to = OpUntypedAccessChainKHR %anywhere %block %buffer %c0\n"
                         "%r = OpExtInst %f16 %glsl Modf %x %to\n"},
                ErrorCode::kUnsupported, "its second result needs a typed pointer");
    expectError({.body = "%r = OpAtomicFAddEXT %f16 %at0 %c1 %c0 %x\n"}, ErrorCode::kUnsupported,
                "not one of the instructions for which coopvk emulates half floats");
}

// In memory the array of columns has the matrix's stride, in values it has none.
TEST(HalfFloats, MatricesInBuffers) {
    const std::string text = rewrittenHalves(
        {.decorations = "OpMemberDecorate %outer 0 Offset 0\n"
                        "OpMemberDecorate %outer 0 ColMajor\n"
                        "OpMemberDecorate %outer 0 MatrixStride 16\n"
                        "OpDecorate %many ArrayStride 64\nOpDecorate %outer Block\n"
                        "OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\n",
         .globals = "%many = OpTypeArray %mat %c4\n%outer = OpTypeStruct %many\n"
                    "%p_outer = OpTypePointer StorageBuffer %outer\n"
                    "%p_matrix = OpTypePointer StorageBuffer %mat\n"
                    "%other = OpVariable %p_outer StorageBuffer\n",
         .body = "%at = OpAccessChain %p_matrix %other %c0 %c2\n%n = OpLoad %mat %at\n"
                 "%all = OpLoad %outer %other\n%e = OpCompositeExtract %mat %all 0 1\n"
                 "OpStore %at %m\nOpStore %held %n\n%p = OpAccessChain %p_f16x4 %at %c1\n"
                 "OpStore %p %v\nOpStore %held %e\n",
         .interface = "%other"});
    // Of one type; the text also has a comment at it.
    EXPECT_EQ(countIn(text, " ArrayStride 16\n"), 2u) << text;
    EXPECT_EQ(countIn(text, "MatrixStride"), 0u) << text;
    EXPECT_EQ(countIn(text, "= OpTypeArray %v4ushort "), 2u) << text;
}

// Structures with such a member are not made of values; others are.
TEST(HalfFloats, StructuresWithMatricesInBuffersAreNotConstructed) {
    const HalfParts parts = {.decorations =
                                 "OpMemberDecorate %outer 0 Offset 0\n"
                                 "OpMemberDecorate %outer 0 ColMajor\n"
                                 "OpMemberDecorate %outer 0 MatrixStride 8\n"
                                 "OpDecorate %outer Block\n"
                                 "OpDecorate %other DescriptorSet 0\n"
                                 "OpDecorate %other Binding 1\n",
                             .globals =
                                 "%outer = OpTypeStruct %mat\n"
                                 "%p_outer = OpTypePointer StorageBuffer %outer\n"
                                 "%other = OpVariable %p_outer StorageBuffer\n",
                             .interface = "%other"};
    HalfParts constructs = parts, inserts = parts, alone = parts;
    constructs.body = "%made = OpCompositeConstruct %outer %m\nOpStore %other %made\n";
    inserts.body =
        "%all = OpLoad %outer %other\n%made = OpCompositeInsert %outer %m %all 0\n"
        "OpStore %other %made\n";
    for (const HalfParts& refused : {constructs, inserts})
        expectError(refused, ErrorCode::kUnsupported, "constructs a structure with a layout");
    alone.body = "%four = OpCompositeConstruct %f16x4 %x %y %x %y\nOpStore %at2 %four\n";
    EXPECT_EQ(countIn(rewrittenHalves(alone), "OpCompositeConstruct"), 1u);
    // One matrix with two strides, or twice with one.
    const auto twoOf = [&](const char* stride) {
        HalfParts two = parts;
        two.decorations += std::string(
                               "OpMemberDecorate %outer 1 Offset 64\n"
                               "OpMemberDecorate %outer 1 ColMajor\n"
                               "OpMemberDecorate %outer 1 MatrixStride ") +
                           stride + "\n";
        two.globals.replace(two.globals.find("%mat"), 4, "%mat %mat");
        return two;
    };
    expectError(twoOf("16"), ErrorCode::kUnsupported, "is row-major or has several strides");
    EXPECT_EQ(countIn(rewrittenHalves(twoOf("8")), "MatrixStride"), 0u);
}

// Modules with only 16-bit storage and conversions stay the driver's.
TEST(HalfFloats, StorageAloneIsNotEmulated) {
    std::string text = halfModule({.body = "%r = OpFConvert %f32 %x\n"});
    text.erase(text.find("OpCapability Float16\n"),
               std::string_view("OpCapability Float16\n").size());
    EXPECT_TRUE(scan(coopvk::test::assemble(text), withoutHalves().emulated).empty());
}

// Devices that have half floats keep them.
TEST(HalfFloats, AreNotAmongAllThatIsEmulated) {
    EXPECT_FALSE(ExtensionSet::all().contains(kFloat16));
    EXPECT_TRUE(scan(coopvk::test::assemble(halfModule({})), ExtensionSet::all()).empty());
}

// bfloat16 honours the rounding mode, too.
TEST(HalfFloats, BfloatRoundsTowardZero) {
    const Result<Rewritten> out = rewriteHalves(
        {.capabilities = "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n",
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
}  // namespace coopvk::rewrite::half_floats_test
