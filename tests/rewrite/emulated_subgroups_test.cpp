// SPDX-License-Identifier: Apache-2.0
//
// Subgroups that the device does not have: what is lowered, and what stays the driver's.
// tests/driver has what the lowered operations compute.
#include "edit.hpp"
#include "narrow_module.hpp"

namespace coopvk::rewrite::emulated_subgroups_test {
namespace {

using namespace narrow_module;

TEST(EmulatedSubgroups, BecomeSharedMemory) {
    const Result<Rewritten> out =
        rewriteText(moduleOf(std::string(kTotal) +
                             "%lane = OpLoad %u32 %lane_in\n%size = OpLoad %u32 %size_in\n"
                             "OpControlBarrier %c3 %c3 %c264\nOpMemoryBarrier %c3 %c264\n"
                             "%was = OpAtomicIAdd %u32 %out %c3 %c0 %lane\nOpStore %out %total\n"),
                    narrowTarget());
    ASSERT_TRUE(out) << out.error().message;
    const std::string text = disassemble(out->words);
    EXPECT_FALSE(has(text, "Subgroup")) << text;
    EXPECT_FALSE(has(text, "GroupNonUniform"));
    EXPECT_TRUE(has(text, "OpControlBarrier %uint_2 %uint_2"));
    EXPECT_FALSE(has(text, "%uint_3 %uint_264")) << "scopes are wider";
    EXPECT_TRUE(has(text, "OpMemoryBarrier %uint_2"));
    EXPECT_TRUE(has(text, "coopvk_staging"));
    EXPECT_TRUE(out->warnings.empty());
}

TEST(EmulatedSubgroups, AreTheDriversElsewhere) {
    Target target = narrowTarget();
    target.device.driverSubgroupSize = 0;
    const Result<Rewritten> out = rewriteText(moduleOf(std::string(kTotal)), target);
    ASSERT_TRUE(out);
    EXPECT_TRUE(has(disassemble(out->words), "GroupNonUniformIAdd"));
    EXPECT_FALSE(out->emulatesSubgroups);
}

// Without full subgroups, those of the driver are such of 32 lanes of which most are not active.
TEST(EmulatedSubgroups, StayTheDriversWhereTheyMay) {
    const std::string apart =
        parts(
            "%total = OpGroupNonUniformIAdd %u32 %c3 ClusteredReduce %index %c16\n"
            "%few = OpGroupNonUniformIAdd %u32 %c3 ClusteredReduce %index %c4\n"
            "OpBranch %merge") +
        "%size = OpLoad %u32 %size_in\nOpStore %out %size\n";
    const Result<Rewritten> out = rewriteText(moduleOf(apart, {.size = "24 1 1"}), narrowTarget());
    ASSERT_TRUE(out) << out.error().message;
    const std::string text = disassemble(out->words);
    EXPECT_TRUE(has(text, "OpGroupNonUniformIAdd %uint %uint_3 Reduce")) << text;
    EXPECT_TRUE(has(text, "ClusteredReduce")) << "of four lanes";
    EXPECT_FALSE(has(text, "BuiltIn SubgroupSize"));
    EXPECT_TRUE(has(text, "BuiltIn SubgroupLocalInvocationId"));
    ASSERT_EQ(out->warnings.size(), 1u);
    EXPECT_TRUE(has(out->warnings[0], "subgroups stay the driver's, of 8 lanes"));
    // SPIR-V 1.6 promises full ones for such sizes.
    EXPECT_FALSE(rewriteText(moduleOf(apart), narrowTarget()));
    Target full = narrowTarget();
    full.needsFullSubgroups = true;
    EXPECT_FALSE(rewriteText(moduleOf(apart, {.size = "24 1 1"}), full));
}

TEST(EmulatedSubgroups, NeedSharedMemory) {
    Target target = narrowTarget();
    target.device.maxComputeSharedMemorySize = 16384;
    const auto with = [&](const char* words) {
        return rewriteText(moduleOf(std::string(kTotal), {.shared = words}), target);
    };
    EXPECT_TRUE(with("4064"));  // 128 bytes are left
    const Result<Rewritten> refused = with("4065");
    ASSERT_FALSE(refused);
    EXPECT_TRUE(has(refused.error().message, "shared memory leaves too little"));
}

// rewriteText() validates what becomes of them.
TEST(EmulatedSubgroups, CountBallotsInAnyWidth) {
    for (const char* width : {"16", "32", "64"}) {
        std::string text = moduleOf(
            "%ballot = OpGroupNonUniformBallot %u32x4 %c3 %true\n"
            "%lowest = OpGroupNonUniformBallotFindLSB %count %c3 %ballot\n"
            "%highest = OpGroupNonUniformBallotFindMSB %count %c3 %ballot\n"
            "%below = OpGroupNonUniformBallotBitCount %count %c3 ExclusiveScan %ballot\n");
        text.insert(text.find("OpMemoryModel"), "OpCapability Int16\nOpCapability Int64\n");
        const std::string type = std::format("%count = OpTypeInt {} 0\n", width);
        if (std::string_view(width) == "32")
            for (size_t at; (at = text.find("%count")) != std::string::npos;)
                text.replace(at, 6, "%u32");
        else
            text.insert(text.find("%u32x3 ="), type);
        const Result<Rewritten> out = rewriteText(text, narrowTarget());
        EXPECT_TRUE(out) << out.error().message;
    }
}

// "SubgroupSize [...] must be declared as a scalar 32-bit integer"
// (VUID-SubgroupSize-SubgroupSize-04383). Modules that validators do not take get an error.
TEST(EmulatedSubgroups, HaveBuiltInsOf32BitIntegers) {
    for (const char* type : {"OpTypeFloat 32", "OpTypeInt 64 0"}) {
        const std::string text = test::edited(
            moduleOf(std::string(kTotal)),
            {{"%size_in = OpVariable %in_u32 Input", "%size_in = OpVariable %in_other Input"},
             {"%in_u32x3 = OpTypePointer",
              std::format(
                  "%other = {}\n%in_other = OpTypePointer Input %other\n%in_u32x3 = OpTypePointer",
                  type)},
             {"OpCapability GroupNonUniform\n",
              "OpCapability GroupNonUniform\nOpCapability Int64\n"}});
        const std::vector<uint32_t> words = test::assemble(text);
        const Result<Rewritten> out = rewrite({.words = words}, narrowTarget());
        ASSERT_FALSE(out) << type;
        EXPECT_TRUE(has(out.error().message, "SubgroupSize must be of 32-bit integers"))
            << out.error().message;
    }
}

// What lanes of one subgroup tell each other, invocations of several ones of the driver do.
TEST(EmulatedSubgroups, ShareTexels) {
    const std::string text = test::edited(
        moduleOf(std::string(kTotal) +
                 "%picture = OpLoad %image_type %image\n"
                 "%texel = OpImageRead %u32x4 %picture %pair MakeTexelVisible|NonPrivateTexel %c3\n"
                 "OpImageWrite %picture %pair %texel MakeTexelAvailable|NonPrivateTexel %c3\n"),
        {{"OpMemoryModel Logical GLSL450",
          "OpCapability VulkanMemoryModel\nOpMemoryModel Logical Vulkan"},
         {"\nOpExecutionMode", " %image\nOpExecutionMode"},
         {"OpDecorate %array",
          "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 1\nOpDecorate %array"},
         {"%main = OpFunction",
          "%u32x2 = OpTypeVector %u32 2\n%pair = OpConstantComposite %u32x2 %c1 %c1\n"
          "%image_type = OpTypeImage %u32 2D 0 0 0 2 R32ui\n"
          "%to_image = OpTypePointer UniformConstant %image_type\n"
          "%image = OpVariable %to_image UniformConstant\n%main = OpFunction"}});
    const Result<Rewritten> out = rewriteText(text, narrowTarget());
    ASSERT_TRUE(out) << out.error().message;
    const std::string written = disassemble(out->words);
    EXPECT_TRUE(has(written, "MakeTexelVisible|NonPrivateTexel %uint_2")) << written;
    EXPECT_TRUE(has(written, "MakeTexelAvailable|NonPrivateTexel %uint_2")) << written;
}

TEST(EmulatedSubgroups, AreFoundInModules) {
    EXPECT_TRUE(usesSubgroups(test::assemble(moduleOf(""))));
    std::string text = moduleOf("");
    for (const char* line :
         {"OpCapability GroupNonUniform\n", "OpCapability GroupNonUniformArithmetic\n",
          "OpCapability GroupNonUniformBallot\n", "OpCapability GroupNonUniformClustered\n"})
        text.erase(text.find(line), std::string_view(line).size());
    EXPECT_FALSE(usesSubgroups(test::assemble(text)));
    text.replace(text.find("OpReturn"), 0, "OpControlBarrier %c3 %c3 %c264\n");
    EXPECT_TRUE(usesSubgroups(test::assemble(text))) << "a barrier needs no capability";
    EXPECT_FALSE(usesSubgroups({}));
}

}  // namespace
}  // namespace coopvk::rewrite::emulated_subgroups_test
