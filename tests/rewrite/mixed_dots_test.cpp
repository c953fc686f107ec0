// SPDX-License-Identifier: Apache-2.0
//
// SPV_VALVE_mixed_float_dot_product.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::mixed_dots_test {
namespace {

constexpr auto kMixedDots = Extension::kValveShaderMixedFloatDotProduct;

// Products of halves, bfloat16 and 8-bit floats, with all accumulators.
constexpr std::string_view kBody = R"(
%a = OpFDot2MixAcc32VALVE %f32 %f16x2_1 %f16x2_1 %f32_1
%b = OpFDot2MixAcc16VALVE %f16 %f16x2_2 %f16x2_1 %f16_1
%c = OpFDot2MixAcc32VALVE %f32 %bf16x2_1 %bf16x2_1 %f32_1
%d = OpFDot2MixAcc16VALVE %bf16 %bf16x2_2 %bf16x2_1 %bf16_1
%e = OpFDot4MixAcc32VALVE %f32 %e4m3x4_1 %e4m3x4_1 %f32_1
%g = OpFDot4MixAcc32VALVE %f32 %e5m2x4_1 %e5m2x4_1 %f32_1
)";

std::string moduleOf(std::string_view body, std::string_view decorations = {}) {
    return std::format(R"(
OpCapability Shader
OpCapability DotProductFloat16AccFloat32VALVE
OpCapability DotProductFloat16AccFloat16VALVE
OpCapability DotProductBFloat16AccVALVE
OpCapability DotProductFloat8AccFloat32VALVE
OpExtension "SPV_VALVE_mixed_float_dot_product"
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
{}
%void = OpTypeVoid
%f = OpTypeFunction %void
%f32 = OpTypeFloat 32
%f16 = OpTypeFloat 16
%bf16 = OpTypeFloat 16 BFloat16KHR
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%f16x2 = OpTypeVector %f16 2
%bf16x2 = OpTypeVector %bf16 2
%e4m3x4 = OpTypeVector %e4m3 4
%e5m2x4 = OpTypeVector %e5m2 4
%f32_1 = OpConstant %f32 1
%f16_1 = OpConstant %f16 1
%bf16_1 = OpConstant %bf16 1
%f16x2_pointer = OpTypePointer Function %f16x2
%bf16x2_pointer = OpTypePointer Function %bf16x2
%e4m3x4_pointer = OpTypePointer Function %e4m3x4
%e5m2x4_pointer = OpTypePointer Function %e5m2x4
%main = OpFunction %void None %f
%label = OpLabel
%f16x2_held = OpVariable %f16x2_pointer Function
%bf16x2_held = OpVariable %bf16x2_pointer Function
%e4m3x4_held = OpVariable %e4m3x4_pointer Function
%e5m2x4_held = OpVariable %e5m2x4_pointer Function
%f16x2_1 = OpLoad %f16x2 %f16x2_held Volatile
%f16x2_2 = OpLoad %f16x2 %f16x2_held Volatile
%bf16x2_1 = OpLoad %bf16x2 %bf16x2_held Volatile
%bf16x2_2 = OpLoad %bf16x2 %bf16x2_held Volatile
%e4m3x4_1 = OpLoad %e4m3x4 %e4m3x4_held Volatile
%e5m2x4_1 = OpLoad %e5m2x4 %e5m2x4_held Volatile
{}
OpReturn
OpFunctionEnd
)",
                       decorations, body);
}

Result<Rewritten> run(const std::vector<uint32_t>& words, const Target& target) {
    Request request;
    request.words = words;
    return rewrite(request, target);
}

std::string textOf(std::string_view body, const Target& target, std::string_view decorations = {}) {
    const std::vector<uint32_t> words = assembleAndReadAll(moduleOf(body, decorations));
    EXPECT_EQ(validate(words), std::nullopt);
    const Result<Rewritten> out = run(words, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    return disassemble(out->words);
}

size_t countOf(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// The device's own products would be of matrices; the module's are lowered, whatever it has.
TEST(MixedDots, NothingOfTheExtensionIsLeft) {
    for (const bool own : {false, true}) {
        Target target;
        target.device.shaderMixedFloatDotProductFloat16AccFloat32 = own;
        const std::string text = textOf(kBody, target);
        EXPECT_EQ(countOf(text, "VALVE"), 0u) << text;
        EXPECT_EQ(countOf(text, "OpDot "), 6u) << text;
        EXPECT_EQ(countOf(text, "OpFAdd "), 6u) << text;
        EXPECT_EQ(countOf(text, "Float8"), 0u) << text;
        EXPECT_EQ(countOf(text, "BFloat16"), 0u) << text;
    }
}

TEST(MixedDots, FormatsOfTheDriverStay) {
    Target target;
    target.emulated = {kMixedDots};
    const std::string text = textOf(kBody, target);
    EXPECT_EQ(countOf(text, "VALVE"), 0u) << text;
    for (const std::string_view part :
         {"OpCapability Float16\n", "OpCapability BFloat16TypeKHR", "OpCapability Float8EXT"}) {
        EXPECT_EQ(countOf(text, part), 1u) << part;
    }
}

TEST(MixedDots, ProductsOfTheDriverStay) {
    Target target;
    target.emulated = {kMixedDots};
    target.nativeFeatures[kMixedDots] = 1u << 0 | 1u << 3;
    const std::string text = textOf(kBody, target);
    EXPECT_EQ(countOf(text, "= OpFDot2MixAcc32VALVE"), 1u) << text;  // of halves
    EXPECT_EQ(countOf(text, "= OpFDot4MixAcc32VALVE"), 2u) << text;
    EXPECT_EQ(countOf(text, "OpCapability DotProduct"), 2u) << text;
    EXPECT_EQ(countOf(text, "SPV_VALVE"), 1u) << text;
}

// The driver has the products, but coopvk emulates their formats.
TEST(MixedDots, FormatsThatAreEmulatedLoseTheirProducts) {
    Target target;
    target.emulated = {Extension::kKhrShaderBfloat16, Extension::kExtShaderFloat8};
    const std::string body = "%x = OpCopyObject %bf16 %bf16_1\n" + std::string(kBody);
    const std::string text = textOf(body, target);
    EXPECT_EQ(countOf(text, "= OpFDot2MixAcc32VALVE"), 1u) << text;
    EXPECT_EQ(countOf(text, "= OpFDot2MixAcc16VALVE"), 1u) << text;
    EXPECT_EQ(countOf(text, "= OpFDot4MixAcc32VALVE"), 0u) << text;
    EXPECT_EQ(countOf(text, "OpCapability DotProduct"), 2u) << text;
}

TEST(MixedDots, EmulatedHalves) {
    Target target;
    target.device.shaderFloat16 = false;
    target.device.emulatesFloat16 = true;
    target.emulated.insert(Extension::kKhrShaderFloat16Int8);
    const std::string text = textOf(kBody, target);
    EXPECT_EQ(countOf(text, "OpTypeFloat 16"), 0u) << text;
    EXPECT_EQ(countOf(text, "OpDot "), 6u) << text;
}

// A conversion may not have the decorations of an addition.
TEST(MixedDots, DecorationsStayWithSums) {
    const std::string text =
        textOf(kBody, Target{}, "OpDecorate %a NoContraction\nOpDecorate %b NoContraction\n");
    // Code that takes bits of floats has decorations of its own.
    const size_t others = countOf(textOf(kBody, Target{}), "OpDecorate");
    EXPECT_EQ(countOf(text, "OpDecorate"), others + 1) << text;
}

TEST(MixedDots, OtherTypesAreRefused) {
    for (const std::string_view body :
         {"%x = OpFDot2MixAcc32VALVE %f32 %f16x2_1 %bf16x2_1 %f32_1\n",
          "%x = OpFDot2MixAcc32VALVE %f16 %f16x2_1 %f16x2_1 %f16_1\n",
          "%x = OpFDot2MixAcc16VALVE %f32 %f16x2_1 %f16x2_1 %f32_1\n",
          "%x = OpFDot4MixAcc32VALVE %f32 %f16x2_1 %f16x2_1 %f32_1\n",
          "%x = OpFDot4MixAcc32VALVE %f32 %e4m3x4_1 %e4m3x4_1 %f16_1\n"}) {
        const Result<Rewritten> out = run(test::assemble(moduleOf(body)), Target{});
        ASSERT_FALSE(out) << body;
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule) << out.error().message;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::mixed_dots_test
