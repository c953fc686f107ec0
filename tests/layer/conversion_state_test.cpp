// SPDX-License-Identifier: Apache-2.0
//
// The effect of a recorded conversion on the state around it: push constants in banks, conditions.
// Also a pipeline that is made while another call makes it.
#include "conversion_state.hpp"

#include <gtest/gtest.h>

namespace coopvk::test {
namespace {

TEST_F(ConversionState, PipelinesAndPushConstants) {
    bindPipeline();
    push({5, 6});
    const Commands expected = {{"vkCmdPushConstants", {kNoBank, 0, 5, 6}}, pipelineAgain};
    EXPECT_EQ(restored(convertNow()), expected);
}

// A debug callback, or another thread, that records a conversion while the pipeline is made.
TEST_F(ConversionState, PipelineMadeTwice) {
    for (const char* command : {"vkCreateShaderModule", "vkCreateComputePipelines"}) {
        driver.during[command] = [&] { record(); };
    }
    record();
    EXPECT_EQ(driver.dispatches, 3u);
    EXPECT_EQ(end(), VK_SUCCESS);
}

#ifdef VK_NV_push_constant_bank
TEST_F(ConversionState, Banks) {
    const uint32_t word = 7;
    VkPushConstantBankInfoNV bank = {VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV, nullptr, 3};
    VkPushConstantsInfo pushed = {VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO, &bank};
    pushed.layout = layout;
    pushed.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    pushed.size = 4;
    pushed.pValues = &word;
    const auto push2 = COOPVK_DEVICE_COMMAND(driver, device, vkCmdPushConstants2);
    push2(commands, &pushed);
    Commands expected = {{"vkCmdPushConstants2", {3, 0, 7}}};
    EXPECT_EQ(restored(convertNow()), expected);
    // With a layout that has no handle, before the bank and after it.
    VkPipelineLayoutCreateInfo inlined = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pushed.layout = VK_NULL_HANDLE;
    bank.pNext = &inlined;
    bank.bank = 4;
    push2(commands, &pushed);
    expected.push_back({"vkCmdPushConstants2", {4, 0, 7}});
    EXPECT_EQ(restored(convertNow()), expected);
    bank = {VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV, nullptr, 5};
    inlined.pNext = &bank;
    pushed.pNext = &inlined;
    push2(commands, &pushed);
    expected.push_back({"vkCmdPushConstants2", {5, 0, 7}});
    EXPECT_EQ(restored(convertNow()), expected);
}
#endif

TEST_F(ConversionState, Conditions) {
    VkConditionalRenderingBeginInfoEXT condition = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    condition.offset = 0x20;
    const SeenCommand begins = {"vkCmdBeginConditionalRenderingEXT", {0x20}};
    const SeenCommand ends = {"vkCmdEndConditionalRenderingEXT", {}};
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdBeginConditionalRenderingEXT)(commands, &condition);
    Commands seen = convertNow();
    EXPECT_EQ(seen.front(), ends);
    EXPECT_EQ(restored(seen), Commands{begins});
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdEndConditionalRenderingEXT)(commands);
    EXPECT_FALSE(calls(convertNow(), ends.name));

#ifdef VK_KHR_device_address_commands
    VkConditionalRenderingBeginInfo2EXT condition2 = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT};
    condition2.addressRange = {0x4000, 4};
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdBeginConditionalRendering2EXT)
    (commands, &condition2);
    seen = convertNow();
    EXPECT_EQ(seen.front(), ends);
    EXPECT_EQ(restored(seen), (Commands{{"vkCmdBeginConditionalRendering2EXT", {0x4000}}}));
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdEndConditionalRenderingEXT)(commands);
    EXPECT_FALSE(calls(convertNow(), ends.name));
#endif
}

// A secondary command buffer cannot end the condition of the primary one.
TEST_F(ConversionState, ConditionsOfPrimaries) {
    allocate.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    VkCommandBuffer secondary = VK_NULL_HANDLE;
    ASSERT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)(device, &allocate,
                                                                              &secondary),
              VK_SUCCESS);
    const VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkConditionalRenderingBeginInfoEXT condition = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    const auto beginSecondary = COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer);
    const auto beginCondition =
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBeginConditionalRenderingEXT);
    const auto execute = COOPVK_DEVICE_COMMAND(driver, device, vkCmdExecuteCommands);
    for (const bool converts : {false, true}) {
        for (const bool conditional : {false, true}) {
            beginSecondary(secondary, &how);
            std::swap(commands, secondary);
            if (converts) record();
            std::swap(commands, secondary);
            begin();
            if (conditional) beginCondition(commands, &condition);
            execute(commands, 1, &secondary);
            EXPECT_EQ(end() == VK_SUCCESS, !converts || !conditional);
        }
    }
    COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
    (device, allocate.commandPool, 1, &secondary);
}

// An inlined layout's descriptor set layouts may be destroyed when the command is recorded; push
// constants depend on its ranges only.
TEST_F(ConversionState, PushConstantsOfInlinedLayouts) {
    const auto set = reinterpret_cast<VkDescriptorSetLayout>(uint64_t{9});
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    VkPipelineLayoutCreateInfo inlined = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    inlined.setLayoutCount = 1;
    inlined.pSetLayouts = &set;
    inlined.pushConstantRangeCount = 1;
    inlined.pPushConstantRanges = &range;
    const uint32_t word = 7;
    VkPushConstantsInfo pushed = {VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO, &inlined};
    pushed.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    pushed.size = 4;
    pushed.pValues = &word;
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdPushConstants2)(commands, &pushed);
    EXPECT_EQ(driver.inlinedLayouts, (InlinedLayouts{{1, 1}}));
    EXPECT_EQ(restored(convertNow()), (Commands{{"vkCmdPushConstants2", {kNoBank, 0, 7}}}));
    EXPECT_EQ(driver.inlinedLayouts, (InlinedLayouts{{1, 1}, {0, 1}}));
}

#ifdef VK_KHR_device_address_commands
TEST_F(ConversionState, MarkersInMemory) {
    VkMemoryMarkerInfoAMD marker = {VK_STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD};
    marker.stage = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
    marker.dstRange = {0x8000, 4};
    marker.marker = 77;
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdWriteMarkerToMemoryAMD)(commands, &marker);
    const Commands expected = {
        {"vkCmdWriteMarkerToMemoryAMD", {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0x8000, 77}}};
    EXPECT_EQ(driver.seenCommands, expected);
}
#endif

}  // namespace
}  // namespace coopvk::test
