// SPDX-License-Identifier: Apache-2.0
//
// The setting `as` on devices whose subgroups are always narrower: coopvk emulates those of 32.
#include "assemble.hpp"
#include "device/taken_for_fixture.hpp"

namespace coopvk::test::narrow_subgroups_test {
namespace {

// A compute shader with an operation on subgroups, and one without.
Words shader(bool hasSubgroups) {
    return assemble(std::string("OpCapability Shader\n") +
                    (hasSubgroups ? "OpCapability GroupNonUniform\n" : "") + R"(
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%c3 = OpConstant %u32 3
%main = OpFunction %void None %f
%label = OpLabel
)" + (hasSubgroups ? "%elected = OpGroupNonUniformElect %bool %c3\n" : "") +
                    "OpReturn\nOpFunctionEnd\n");
}

class NarrowSubgroups : public TakenFor {
 protected:
    NarrowSubgroups() { driver.subgroupSize = driver.minSubgroupSize = driver.maxSubgroupSize = 8; }

    // Requires subgroups of 32, and full ones.
    VkResult makeRequiring(const Words& words) {
        VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
            32};
        VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(words));
        stage.pNext = &size;
        stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
        return makeCompute(stage);
    }
};

// An operation that not all invocations reach is not emulated: it stays the driver's, unless the
// pipeline requires full subgroups, or their size.
TEST_F(NarrowSubgroups, StayTheDriversUnlessFullOnesAreRequired) {
    startAs("amd");
    const Words parted = assemble(R"(
OpCapability Shader
OpCapability GroupNonUniform
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 40 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%c3 = OpConstant %u32 3
%input = OpTypePointer Input %u32
%index = OpVariable %input Input
%main = OpFunction %void None %f
%label = OpLabel
%i = OpLoad %u32 %index
%isFirst = OpULessThan %bool %i %c3
OpSelectionMerge %end None
OpBranchConditional %isFirst %some %end
%some = OpLabel
%elected = OpGroupNonUniformElect %bool %c3
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)");
    testing::internal::CaptureStderr();
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(parted));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    EXPECT_EQ(makeCompute(stage), VK_ERROR_UNKNOWN);
    EXPECT_EQ(makeRequiring(parted), VK_ERROR_UNKNOWN);
    testing::internal::GetCapturedStderr();
}

TEST_F(NarrowSubgroups, AreShownAs32) {
    startAs("amd");
    EXPECT_EQ(shownSize(), 32u);
    const auto control = propertiesIn<VkPhysicalDeviceSubgroupSizeControlProperties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    EXPECT_EQ(control.minSubgroupSize, 32u);
    EXPECT_EQ(control.maxSubgroupSize, 32u);
    EXPECT_EQ(control.requiredSubgroupSizeStages, VkFlags{VK_SHADER_STAGE_COMPUTE_BIT});
    EXPECT_EQ(control.maxComputeWorkgroupSubgroups,
              physical().facts.traits.maxComputeWorkGroupInvocations / 32);
    const auto v11 = propertiesIn<VkPhysicalDeviceVulkan11Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    EXPECT_EQ(v11.subgroupSize, 32u);
    const auto v13 = propertiesIn<VkPhysicalDeviceVulkan13Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    EXPECT_EQ(v13.minSubgroupSize, 32u);
    EXPECT_EQ(v13.maxSubgroupSize, 32u);
    EXPECT_EQ(physical().facts.traits.driverSubgroupSize, 8u);
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kRdna4);
    const std::string text = layer::takenForText(*layer::takenFor("amd"), physical());
    EXPECT_NE(text.find("its own have 8"), std::string::npos) << text;
}

// Only what the rewriter has a lowering for.
TEST_F(NarrowSubgroups, OperationsAreThoseOfTheEmulation) {
    constexpr VkFlags kBasic = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
    constexpr auto kType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    driver.moreProperties[kType] = {8, VK_SHADER_STAGE_ALL,
                                    kBasic | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV, VK_TRUE};
    constexpr auto kAmongOthers = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    std::vector<uint32_t> words(12);  // UUIDs, LUID and node mask are ahead
    words.insert(words.end(), driver.moreProperties[kType].begin(),
                 driver.moreProperties[kType].end());
    driver.moreProperties[kAmongOthers] = words;
    startAs("amd");
    const auto shown = propertiesIn<VkPhysicalDeviceSubgroupProperties>(kType);
    EXPECT_EQ(shown.supportedOperations, kBasic);
    EXPECT_EQ(shown.supportedStages, VkFlags{VK_SHADER_STAGE_ALL});
    const auto amongOthers = propertiesIn<VkPhysicalDeviceVulkan11Properties>(kAmongOthers);
    EXPECT_EQ(amongOthers.subgroupSupportedOperations, kBasic);
    EXPECT_EQ(amongOthers.subgroupSupportedStages, VkFlags{VK_SHADER_STAGE_ALL});
}

TEST_F(NarrowSubgroups, TheDriverIsAskedForNone) {
    startAs("amd");
    EXPECT_EQ(makeRequiring(shader(true)), VK_SUCCESS);
    EXPECT_NE(last().words, shader(true));
    EXPECT_EQ(rewrite::disassemble(last().words).find("GroupNonUniform"), std::string::npos);
    EXPECT_EQ(last().requiredSubgroupSize, 0u);
    EXPECT_EQ(last().flags, 0u);
    EXPECT_TRUE(last().chain.empty());
    // Nor for shaders that stay as they are.
    EXPECT_EQ(makeRequiring(shader(false)), VK_SUCCESS);
    EXPECT_EQ(last().words, shader(false));
    EXPECT_EQ(last().requiredSubgroupSize, 0u);
    EXPECT_EQ(last().flags, 0u);
    EXPECT_TRUE(last().chain.empty());
}

// Neither of a size nor of full ones, whichever the application asks for.
TEST_F(NarrowSubgroups, TheDriverIsAskedForNeither) {
    startAs("amd");
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 32};
    for (const bool hasSubgroups : {false, true})
        for (const bool isRequired : {false, true})
            for (const VkFlags flags :
                 {0, +VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT}) {
                VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(shader(hasSubgroups)));
                if (isRequired) stage.pNext = &size;
                stage.flags = flags;
                EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
                EXPECT_EQ(last().requiredSubgroupSize, 0u) << hasSubgroups << isRequired << flags;
                EXPECT_EQ(last().flags, 0u) << hasSubgroups << isRequired << flags;
                EXPECT_TRUE(last().chain.empty()) << hasSubgroups << isRequired << flags;
            }
}

TEST_F(NarrowSubgroups, OwnOnesStay) {
    startAs("own");
    EXPECT_EQ(shownSize(), 8u);
    EXPECT_EQ(physical().facts.traits.driverSubgroupSize, 0u);
    EXPECT_EQ(makeCompute(stageOf(makeModule(shader(true)))), VK_SUCCESS);
    EXPECT_EQ(last().words, shader(true));
}

// The driver's matrices lie in its own subgroups.
TEST_F(NarrowSubgroups, MatricesAreReplaced) {
    driver.extensions = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
    driver.moreFeatures[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR] = {
        VK_TRUE, VK_FALSE};
    driver.matrixShapes.resize(1, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
    startAs("own");
    EXPECT_FALSE(physical().emulated.contains(rewrite::Extension::kKhrCooperativeMatrix));
    stop();
    startAs("amd");
    EXPECT_TRUE(physical().emulated.contains(rewrite::Extension::kKhrCooperativeMatrix));
    EXPECT_TRUE(physical().facts.traits.nativeShapes.empty());
}

// Of several sizes nobody knows which one a shader has.
TEST_F(NarrowSubgroups, OfSeveralSizesAreNamed) {
    driver.minSubgroupSize = 4;
    startAs("amd");
    EXPECT_EQ(shownSize(), 8u);
    EXPECT_NE(log.find("the device runs subgroups of 4 to 8"), std::string::npos) << log;
}

}  // namespace
}  // namespace coopvk::test::narrow_subgroups_test
