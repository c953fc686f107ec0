// SPDX-License-Identifier: Apache-2.0
//
// Decorations of values and modes of floats: what is kept, dropped and added stays valid.
#include <gtest/gtest.h>

#include <sstream>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "read_all.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::value_decorations_test {
namespace {

using test::edited;
using test::occurrences;

// Devices with many registers get multiply-adds that must not be contracted.
Target manyRegisters(bool native) {
    Target target;
    target.backEnd = native ? BackEnd::kNative : BackEnd::kCore;
    target.device.dot4x8Signed = true;
    using enum ComponentType;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                  {8, 8, 8, kFloat16, kFloat16, kFloat16, kFloat16, false}};
    return target;
}

// The decorations of the output, as text. Input and output are valid.
std::string run(const std::string& source, const Target& target) {
    const std::vector<uint32_t> words = assembleAndReadAll(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    std::string decorations;
    std::istringstream lines(disassemble(out->words));
    for (std::string line; std::getline(lines, line);) {
        if (line.find("OpDecorate") != line.npos) decorations += line + "\n";
    }
    return decorations;
}

// A product, and its conversion to f16 and back. `decorations` may name %narrow, %wide and %mode.
std::string conversionModule(std::string_view decorations) {
    return edited(
        test::multiplyModule(16, 16, 16),
        {{"OpDecorate", std::string(decorations) + "\nOpDecorate"},
         {"%zero =", "%H = OpTypeCooperativeMatrixKHR %f16 %c3 %rows %columns %c2\n%zero ="},
         {"%pc = OpAccessChain",
          "%narrow = OpFConvert %H %product\n%wide = OpFConvert %C %narrow\n"
          "%pc = OpAccessChain"},
         {"%pc %product", "%pc %wide"}});
}

// A rounding mode is valid only on conversions whose results are stored directly (SPIR-V
// specification, "Validation Rules for Shader Capabilities"); those of parts are not.
TEST(ValueDecorations, RoundingModesOfMatricesGo) {
    for (const std::string_view mode : {"RTE", "RTZ"}) {
        const std::string source =
            conversionModule("OpDecorate %narrow FPRoundingMode " + std::string(mode));
        for (const bool native : {false, true}) {
            const std::string text = run(source, manyRegisters(native));
            EXPECT_EQ(occurrences(text, "FPRoundingMode"), 0u);
        }
    }
}

TEST(ValueDecorations, RoundingModesOfStoredScalarsStay) {
    const std::string source = edited(conversionModule("OpDecorate %stored FPRoundingMode RTZ"),
                                      {{"%zero =", "%one = OpConstant %f32 0x1.002p+0\n%zero ="},
                                       {"%pc = OpAccessChain",
                                        "%stored = OpFConvert %f16 %one\nOpStore %pa %stored\n"
                                        "%pc = OpAccessChain"}});
    EXPECT_EQ(occurrences(run(source, manyRegisters(false)), "FPRoundingMode RTZ"), 1u);
}

// Of an emulated format, the mode counts and goes: f32 to bfloat16 toward zero keeps upper bits.
TEST(ValueDecorations, ModesOfEmulatedFormatsAreComputed) {
    const std::string source = edited(
        conversionModule("OpDecorate %stored FPRoundingMode RTZ\nOpDecorate %brains ArrayStride 2\n"
                         "OpDecorate %brainBlock Block\nOpMemberDecorate %brainBlock 0 Offset 0\n"
                         "OpDecorate %brainOut DescriptorSet 0\nOpDecorate %brainOut Binding 2"),
        {{"OpCapability Float16", "OpCapability BFloat16TypeKHR\nOpCapability Float16"},
         {"OpExtension", "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension"},
         {"%main \"main\"", "%main \"main\" %brainOut"},
         {"%zero =",
          "%bf16 = OpTypeFloat 16 BFloat16KHR\n%brains = OpTypeRuntimeArray %bf16\n"
          "%brainBlock = OpTypeStruct %brains\n"
          "%brainBlockPointer = OpTypePointer StorageBuffer %brainBlock\n"
          "%brainPointer = OpTypePointer StorageBuffer %bf16\n"
          "%brainOut = OpVariable %brainBlockPointer StorageBuffer\n%zero ="},
         {"%pc = OpAccessChain",
          "%from = OpAccessChain %floatPointer %out %c0 %c1\n%single = OpLoad %f32 %from\n"
          "%stored = OpFConvert %bf16 %single\n"
          "%to = OpAccessChain %brainPointer %brainOut %c0 %c0\nOpStore %to %stored\n"
          "%pc = OpAccessChain"}});
    Target target = manyRegisters(false);
    target.device.shaderInt16 = true;
    const std::string text = run(source, target);
    EXPECT_EQ(occurrences(text, "FPRoundingMode"), 0u);
}

// Each lane holds other elements of a matrix; a vector is the same in each invocation.
TEST(ValueDecorations, MatricesAreNotUniform) {
    const std::string source =
        edited(conversionModule("OpDecorate %a Uniform\nOpDecorateId %product UniformId %c3\n"
                                "OpDecorate %pair Uniform\nOpDecorate %index Uniform"),
               {{"%main = OpFunction", "%two = OpTypeStruct %C %C\n%main = OpFunction"},
                {"%pc = OpAccessChain",
                 "%pair = OpCompositeConstruct %two %product %product\n"
                 "%index = OpIAdd %u32 %columns %c1\n%pc = OpAccessChain"}});
    const std::string text = run(source, manyRegisters(false));
    EXPECT_EQ(occurrences(text, "UniformId"), 0u);
    EXPECT_EQ(occurrences(text, " Uniform\n"), 1u) << text;

    const std::string vectors = edited(test::layerModule(16, 16, 0, false),
                                       {{"OpDecorate", "OpDecorate %y Uniform\nOpDecorate"}});
    EXPECT_EQ(occurrences(run(vectors, manyRegisters(false)), " Uniform\n"), 1u);
}

std::string withDefault(std::string_view flags) {
    return edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16", "OpCapability FloatControls2\nOpCapability Float16"},
         {"OpExtension", "OpExtension \"SPV_KHR_float_controls2\"\nOpExtension"},
         {"OpDecorate", "OpExecutionModeId %main FPFastMathDefault %f32 %flags\nOpDecorate"},
         {"%rows = OpSpec",
          "%flags = OpConstant %u32 " + std::string(flags) + "\n%rows = OpSpec"}});
}

// SPV_KHR_float_controls2, "Universal Validation Rules": no NoContraction beside FPFastMathDefault.
TEST(ValueDecorations, DefaultsOfFastMathReplaceNoContraction) {
    const Target target = manyRegisters(false);
    const std::string plain = run(test::multiplyModule(16, 16, 16), target);
    const size_t fused = occurrences(plain, " NoContraction");
    ASSERT_GT(fused, 0u);
    // NotNaN, NotInf, NSZ: nothing allows contraction.
    const std::string strict = run(withDefault("7"), target);
    EXPECT_EQ(occurrences(strict, " NoContraction"), 0u);
    EXPECT_EQ(occurrences(strict, " FPFastMathMode "), 0u);
    // The same, AllowContract, AllowReassoc and AllowTransform: the first three stay.
    const std::string fast = run(withDefault("458759"), target);
    EXPECT_EQ(occurrences(fast, " NoContraction"), 0u);
    EXPECT_EQ(occurrences(fast, " FPFastMathMode NotNaN|NotInf|NSZ\n"), fused);
}

}  // namespace
}  // namespace coopvk::rewrite::value_decorations_test
