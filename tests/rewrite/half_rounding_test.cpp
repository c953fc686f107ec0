// SPDX-License-Identifier: Apache-2.0
//
// Conversions from f32 to f16 in integers, on CPUs.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "half_module.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::half_rounding_test {
namespace {

// Each kind of conversion; a bfloat16, so that there is something to rewrite.
HalfParts conversions() {
    return {.capabilities = "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n",
            .globals = "%bf16 = OpTypeFloat 16 BFloat16KHR\n%f32x4 = OpTypeVector %f32 4\n",
            .body =
                "%q = OpFConvert %bf16 %f\n%b = OpBitcast %u16 %q\n"
                "%a = OpFConvert %f16 %f\nOpStore %at0 %a\n"
                "%s = OpCompositeConstruct %f32x4 %f %f %f %f\n"
                "%c = OpFConvert %f16x4 %s\nOpStore %at2 %c\n"
                "%t = OpVectorTimesScalar %f32x4 %s %f\n"
                "%d = OpFConvert %f16x4 %t\nOpStore %at3 %d\n"};
}

std::string rewritten(const HalfParts& parts, const DeviceTraits& device) {
    Target target;
    target.emulated.insert(Extension::kKhrShaderBfloat16);
    target.device = device;
    const std::vector<uint32_t> words = assembleAndReadAll(halfModule(parts));
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    const std::string text = disassemble(out->words);
    EXPECT_EQ(validate(out->words), std::nullopt) << text;
    return text;
}

DeviceTraits cpu() {
    DeviceTraits device;
    device.isCpu = true;
    return device;
}

TEST(HalfRounding, ConversionsAreFunctionsOnCpus) {
    const std::string text = rewritten(conversions(), cpu());
    EXPECT_EQ(countIn(text, "OpFConvert"), 0u) << text;
    EXPECT_EQ(countIn(text, "OpName %coopvk_f32x1_to_f16 "), 1u) << text;
    EXPECT_EQ(countIn(text, "OpName %coopvk_f32x4_to_f16 "), 1u) << text;
    EXPECT_EQ(countIn(text, "OpFunctionCall"), 3u) << text;
}

TEST(HalfRounding, ConversionsStayOnGpus) {
    EXPECT_EQ(countIn(rewritten(conversions(), {}), "OpFConvert"), 3u);
}

TEST(HalfRounding, ConversionsStayWithoutIntegersOf16Bits) {
    DeviceTraits device = cpu();
    device.shaderInt16 = false;
    EXPECT_EQ(countIn(rewritten(conversions(), device), "OpFConvert"), 3u);
}

TEST(HalfRounding, ThoseTowardZeroStay) {
    HalfParts parts = conversions();
    parts.decorations = "OpDecorate %a FPRoundingMode RTZ\nOpDecorate %c FPRoundingMode RTE\n";
    const std::string text = rewritten(parts, cpu());
    EXPECT_EQ(countIn(text, "OpFConvert %half "), 1u) << text;
    EXPECT_EQ(countIn(text, "OpFunctionCall"), 2u) << text;
    EXPECT_EQ(countIn(text, "FPRoundingMode RTE"), 0u) << text;
}

TEST(HalfRounding, OtherModesKeepConversions) {
    for (const std::string mode : {"RoundingModeRTZ", "DenormFlushToZero"}) {
        HalfParts parts = conversions();
        parts.capabilities.insert(0, "OpCapability " + mode + "\n");
        parts.capabilities += "OpExtension \"SPV_KHR_float_controls\"\n";
        parts.modes = "OpExecutionMode %main " + mode + " 16\n";
        EXPECT_EQ(countIn(rewritten(parts, cpu()), "OpFConvert"), 3u) << mode;
        parts.modes = "OpExecutionMode %main " + mode + " 32\n";
        const uint32_t kept = mode == "RoundingModeRTZ" ? 3 : 0;  // an f32 addition is part of it
        EXPECT_EQ(countIn(rewritten(parts, cpu()), "OpFConvert"), kept) << mode;
    }
}

TEST(HalfRounding, DecorationsOfArithmeticGo) {
    HalfParts parts = conversions();
    parts.decorations = "OpDecorate %a NoContraction\nOpDecorate %c RelaxedPrecision\n";
    // Those of the additions are left, in the functions for one and for four: each as a decoration
    // and as a comment.
    EXPECT_EQ(countIn(rewritten(parts, cpu()), " NoContraction"), 4u);
}

// A product with f16 sums, and how often its code names the function that rounds to f16.
size_t roundings(const std::string& decorations, bool dropsHalfRoundings) {
    std::string module = coopvk::test::multiplyModule(16, 16, 16);
    const auto replace = [&](const std::string& from, const std::string& to) {
        const size_t at = module.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        module.replace(at, from.size(), to);
    };
    replace("%C = OpTypeCooperativeMatrixKHR %f32", "%C = OpTypeCooperativeMatrixKHR %f16");
    replace("%pc = OpAccessChain %floatPointer %out", "%pc = OpAccessChain %halfPointer %in");
    replace("OpDecorate %rows SpecId 0\n", decorations + "OpDecorate %rows SpecId 0\n");
    const std::vector<uint32_t> words = coopvk::test::assemble(module);
    Target target;
    target.device.dropsHalfRoundings = dropsHalfRoundings;
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return 0;
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return countIn(disassemble(out->words), "coopvk_f32x1_to_f16");
}

TEST(HalfRounding, SumsAreRoundedOnceInIntegersWhereDriversDropRoundings) {
    const std::string once = "OpDecorate %product NoContraction\n";
    EXPECT_GT(roundings(once, true), 1u);
    EXPECT_EQ(roundings(once, false), 0u);
    EXPECT_EQ(roundings("", true), 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::half_rounding_test
