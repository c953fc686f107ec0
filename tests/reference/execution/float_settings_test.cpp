// SPDX-License-Identifier: Apache-2.0
//
// Settings of floats: what holds where the module says nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "shader_text.hpp"

namespace coopvk::reference::test::float_settings_test {
namespace {

// The first word that a body writes, as %r.
uint32_t resultOf(const std::string& body, const std::string& annotations, const Settings& settings,
                  std::vector<uint32_t> words, const std::string& modes = "") {
    ShaderText text;
    text.localSize = 1;
    text.annotations = annotations;
    text.capabilities =
        "OpCapability DenormPreserve\nOpCapability DenormFlushToZero\n"
        "OpCapability RoundingModeRTE\nOpCapability RoundingModeRTZ\n"
        "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n";
    text.body = loadWord("%wa", "%u_0") + loadWord("%wb", "%u_1") + loadWord("%wc", "%u_2") +
                "%a = OpBitcast %f32 %wa\n%b = OpBitcast %f32 %wb\n%c = OpBitcast %f32 %wc\n" +
                body + storeWord("%u_0", "%r");
    std::string module = shader(text);
    module.insert(module.find("OpDecorate"), modes);
    Execution run;
    run.settings = settings;
    run.buffers[0] = std::move(words);
    run.buffers[1] = {0};
    execute(run, module);
    EXPECT_EQ(run.error, "");
    return run.buffers[1][0];
}

TEST(ReferenceFloatSettings, DenormalsOfAWidth) {
    const std::string sum = "%x = OpFAdd %f32 %a %b\n%r = OpBitcast %u32 %x\n";
    EXPECT_EQ(resultOf(sum, "", {}, {1, 2, 0}), 3u);
    EXPECT_EQ(resultOf(sum, "", {.flushed = 32}, {1, 2, 0}), 0u);
    EXPECT_EQ(resultOf(sum, "", {.flushed = 16 + 64}, {1, 2, 0}), 3u);
    const std::string preserve = "OpExecutionMode %main DenormPreserve 32\n";
    EXPECT_EQ(resultOf(sum, "", {.flushed = 32}, {1, 2, 0}, preserve), 3u);
}

// A mode of the module says only what it says, and is stronger than a setting.
TEST(ReferenceFloatSettings, OneModeAlone) {
    const std::string sum = "%x = OpFAdd %f32 %a %b\n%r = OpBitcast %u32 %x\n";
    const auto alone = [](const std::string& mode) {
        return "OpExecutionMode %main " + mode + " 32\n";
    };
    for (const char* rounding : {"RoundingModeRTE", "RoundingModeRTZ"})
        EXPECT_EQ(resultOf(sum, "", {}, {1, 2, 0}, alone(rounding)), 3u) << rounding;
    EXPECT_EQ(resultOf(sum, "", {}, {1, 2, 0}, alone("DenormFlushToZero")), 0u);
    // 1 + 2^-30
    const Settings upward{.rounding = Direction::kUpward};
    const std::vector<uint32_t> little = {bitsOf(1), bitsOf(0x1p-30f), 0};
    EXPECT_EQ(resultOf(sum, "", upward, little), 0x3F800001u);
    EXPECT_EQ(resultOf(sum, "", upward, little, alone("RoundingModeRTE")), 0x3F800000u);
    EXPECT_EQ(resultOf(sum, "", upward, little, alone("RoundingModeRTZ")), 0x3F800000u);
    EXPECT_EQ(resultOf(sum, "", upward, little, alone("DenormPreserve")), 0x3F800001u);
}

TEST(ReferenceFloatSettings, HalvesTowardZero) {
    const std::string half =
        "%x = OpFConvert %f16 %a\n%y = OpBitcast %u16 %x\n%r = OpUConvert %u32 %y\n";
    const std::vector<uint32_t> words = {0x3F801800, 0, 0};  // 1 + 3/4 of the last bit of f16
    EXPECT_EQ(resultOf(half, "", {}, words), 0x3C01u);
    EXPECT_EQ(resultOf(half, "", {.rounding = Direction::kHalvesTowardZero}, words), 0x3C00u);
}

// (1 + 2^-12)^2 - 1
TEST(ReferenceFloatSettings, ContractedSums) {
    const std::string sum =
        "%p = OpFMul %f32 %a %b\n%s = OpFAdd %f32 %c %p\n%r = OpBitcast %u32 %s\n";
    const std::vector<uint32_t> words = {0x3F800800, 0x3F800800, 0xBF800000};
    const uint32_t apart = bitsOf(0x1p-11f), once = bitsOf(0x1p-11f + 0x1p-24f);
    EXPECT_EQ(resultOf(sum, "", {}, words), apart);
    EXPECT_EQ(resultOf(sum, "", {.contracts = true}, words), once);
    for (const char* id : {"%p", "%s"})
        EXPECT_EQ(resultOf(sum, "OpDecorate " + std::string(id) + " NoContraction\n",
                           {.contracts = true}, words),
                  apart);
}

// SPV_KHR_float_controls2: FPFastMathMode of an instruction, and where it has none, the mode
// FPFastMathDefault say whether AllowContract.
TEST(ReferenceFloatSettings, ContractedByFastMathModes) {
    const std::string sum =
        "%p = OpFMul %f32 %a %b\n%s = OpFAdd %f32 %c %p\n%r = OpBitcast %u32 %s\n";
    const std::vector<uint32_t> words = {0x3F800800, 0x3F800800, 0xBF800000};
    const uint32_t apart = bitsOf(0x1p-11f), once = bitsOf(0x1p-11f + 0x1p-24f);
    const std::string noDefault, strict = "OpExecutionModeId %main FPFastMathDefault %f32 %u_0\n";
    const auto result = [&](const std::string& ofProduct, const std::string& ofSum,
                            const std::string& mode) {
        std::string annotations;
        if (!ofProduct.empty()) annotations += "OpDecorate %p FPFastMathMode " + ofProduct + "\n";
        if (!ofSum.empty()) annotations += "OpDecorate %s FPFastMathMode " + ofSum + "\n";
        return resultOf(sum, annotations, {.contracts = true}, words, mode);
    };
    EXPECT_EQ(result("AllowContract", "AllowContract", noDefault), once);
    EXPECT_EQ(result("None", "", noDefault), apart);
    EXPECT_EQ(result("", "None", noDefault), apart);
    EXPECT_EQ(result("NotNaN", "NotNaN", noDefault), apart);
    EXPECT_EQ(result("", "", strict), apart);
    EXPECT_EQ(result("AllowContract", "", strict), apart);
    EXPECT_EQ(result("", "AllowContract", strict), apart);
    EXPECT_EQ(result("AllowContract", "AllowContract", strict), once);
}

// The same product less 1, and 1 less it; the product is in another block.
TEST(ReferenceFloatSettings, ContractedDifferences) {
    const std::vector<uint32_t> words = {0x3F800800, 0x3F800800, 0x3F800000};
    const uint32_t apart = bitsOf(0x1p-11f), once = bitsOf(0x1p-11f + 0x1p-24f), sign = 1u << 31;
    const std::string product =
        "%p = OpFMul %f32 %a %b\nOpSelectionMerge %merge None\n"
        "OpBranchConditional %true %then %merge\n%then = OpLabel\nOpBranch %merge\n"
        "%merge = OpLabel\n";
    for (const bool isFirst : {true, false}) {
        const std::string difference = product + "%s = OpFSub %f32 " +
                                       (isFirst ? "%p %c" : "%c %p") + "\n%r = OpBitcast %u32 %s\n";
        const uint32_t negative = isFirst ? 0 : sign;
        EXPECT_EQ(resultOf(difference, "", {}, words), apart | negative);
        EXPECT_EQ(resultOf(difference, "", {.contracts = true}, words), once | negative);
        EXPECT_EQ(resultOf(difference, "OpDecorate %s NoContraction\n", {.contracts = true}, words),
                  apart | negative);
    }
}

// Any operand may be the result.
TEST(ReferenceFloatSettings, ChoicesAmongNanAndNumbers) {
    for (const std::string choice : {"FMin %a %b", "FMax %a %b", "FClamp %a %b %b"}) {
        const std::string body =
            "%x = OpExtInst %f32 %glsl " + choice + "\n%r = OpBitcast %u32 %x\n";
        const std::vector<uint32_t> words = {0x7FC00000, 0x3F800000, 0};
        EXPECT_EQ(resultOf(body, "", {}, words), 0x3F800000u) << choice;
        EXPECT_TRUE(std::isnan(floatOf(resultOf(body, "", {.prefersNan = true}, words)))) << choice;
    }
}

}  // namespace
}  // namespace coopvk::reference::test::float_settings_test
