// SPDX-License-Identifier: Apache-2.0
//
// The effect of a recorded conversion on the state around it. Also a pipeline that is made while
// another call makes it.
#include "conversion_state.hpp"

#include <gtest/gtest.h>

namespace coopvk::test::conversion_state_test {
namespace {

// Nothing is bound before, so nothing is bound again.
TEST_F(ConversionState, FirstInACommandBuffer) {
    const Commands seen = convertNow();
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[0], seesTransfers);
    EXPECT_EQ(seen[1].name, "vkCmdBindPipeline");
    EXPECT_EQ(seen[2].name, "vkCmdDispatchBase");
    EXPECT_EQ(seen[3], showsWrites);
    EXPECT_EQ(end(), VK_SUCCESS);
}

TEST_F(ConversionState, PipelineIsBoundAgain) {
    bindPipeline();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    begin();
    EXPECT_TRUE(restored(convertNow()).empty());
    bindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS);
    bindPipeline(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
    EXPECT_TRUE(restored(convertNow()).empty());
}

TEST_F(ConversionState, TheLastOfPipelineAndShaderIsBoundAgain) {
    const Commands shaderAgain = {{"vkCmdBindShadersEXT", {0x77}}};
    bindPipeline();
    bindShader(VK_SHADER_STAGE_VERTEX_BIT, 0x66);
    EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    bindShader(VK_SHADER_STAGE_COMPUTE_BIT, 0x77);
    EXPECT_EQ(restored(convertNow()), shaderAgain);
    bindPipeline();
    EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindShadersEXT)(commands, 1, &stage, nullptr);
    EXPECT_TRUE(restored(convertNow()).empty());
}

// What was bound long before, with other command buffers recorded in between.
TEST_F(ConversionState, BoundLongBefore) {
    bindPipeline();
    std::vector<VkCommandBuffer> others;
    for (int i = 0; i < 300; ++i) {
        others.push_back(allocateOne(VK_COMMAND_BUFFER_LEVEL_PRIMARY));
        beginOne(others.back());
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindPipeline)
        (others.back(), VK_PIPELINE_BIND_POINT_COMPUTE, reinterpret_cast<VkPipeline>(uint64_t{5}));
    }
    EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    std::swap(commands, others[123]);
    EXPECT_EQ(restored(convertNow()), (Commands{{"vkCmdBindPipeline", {5}}}));
    std::swap(commands, others[123]);
    for (VkCommandBuffer one : others) freeOne(one);
}

// Descriptors and push constants of every kind are the driver's own business. So are dependencies
// that cannot name the conversions' stage.
TEST_F(ConversionState, DescriptorsAndPushConstantsAreLeftAlone) {
    const VkDevice plain = makeDevice(driver, nullptr);
    for (const char* command :
         {"vkCmdPushConstants", "vkCmdPushConstants2", "vkCmdPushConstants2KHR",
          "vkCmdBindDescriptorSets", "vkCmdBindDescriptorSets2", "vkCmdPushDescriptorSet",
          "vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSetWithTemplate",
          "vkCmdPushDescriptorSetWithTemplate2", "vkCmdBindDescriptorBuffersEXT",
          "vkCmdSetDescriptorBufferOffsetsEXT", "vkCmdBindDescriptorBufferEmbeddedSamplersEXT",
          "vkCmdPipelineBarrier"
#ifdef VK_EXT_descriptor_heap
          ,
          "vkCmdPushDataEXT", "vkCmdBindSamplerHeapEXT", "vkCmdBindResourceHeapEXT"
#endif
         }) {
        const PFN_vkVoidFunction own = driver.deviceCommand(plain, command);
        EXPECT_NE(own, nullptr) << command;
        EXPECT_EQ(driver.deviceCommand(device, command), own) << command;
    }
    driver.destroyDevice(plain);
    for (const SeenCommand& command : convertNow()) {
        EXPECT_TRUE(command == seesTransfers || command.name == "vkCmdBindPipeline" ||
                    command.name == "vkCmdDispatchBase" || command == showsWrites);
    }
    // So the kernel may have neither: it suits sets, descriptor buffers and heaps.
    ASSERT_EQ(driver.pipelineLayouts.size(), 1u);
    EXPECT_EQ(driver.pipelineLayouts[0], (std::pair<uint32_t, uint32_t>{0, 0}));
    EXPECT_EQ(driver.pipelines.back().flags,
              static_cast<VkPipelineCreateFlags2>(VK_PIPELINE_CREATE_DISPATCH_BASE_BIT));
}

// State of a primary command buffer does not reach a secondary one, nor the other way round.
TEST_F(ConversionState, Secondaries) {
    VkCommandBuffer secondary = allocateOne(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    bindPipeline();
    beginOne(secondary);
    std::swap(commands, secondary);
    EXPECT_TRUE(restored(convertNow()).empty());
    bindShader(VK_SHADER_STAGE_COMPUTE_BIT, 0x77);
    EXPECT_EQ(restored(convertNow()), (Commands{{"vkCmdBindShadersEXT", {0x77}}}));
    std::swap(commands, secondary);
    EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    const uint32_t recorded = driver.recorded;
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdExecuteCommands)(commands, 1, &secondary);
    EXPECT_EQ(driver.recorded, recorded + 1) << "the driver's, once";
    EXPECT_EQ(end(), VK_SUCCESS);
    freeOne(secondary);
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
    EXPECT_EQ(driver.seenCommands, Commands{ends});
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

// Of what is behind the last shader that is bound nothing is read.
TEST_F(ConversionState, AsManyShadersAsAreBound) {
    bindPipeline();
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT,
                                            VK_SHADER_STAGE_COMPUTE_BIT};
    const VkShaderEXT shaders[2] = {};
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindShadersEXT)(commands, 1, stages, shaders);
    EXPECT_EQ(restored(convertNow()), Commands{pipelineAgain});
    COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindShadersEXT)(commands, 2, stages, shaders);
    EXPECT_NE(restored(convertNow()), Commands{pipelineAgain});
}

// A secondary command buffer cannot end the condition of the primary one.
TEST_F(ConversionState, ConditionsOfPrimaries) {
    VkCommandBuffer secondary = allocateOne(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const VkConditionalRenderingBeginInfoEXT condition = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    const auto beginCondition =
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdBeginConditionalRenderingEXT);
    const auto execute = COOPVK_DEVICE_COMMAND(driver, device, vkCmdExecuteCommands);
    for (const bool converts : {false, true}) {
        for (const bool conditional : {false, true}) {
            beginOne(secondary);
            std::swap(commands, secondary);
            if (converts) record();
            std::swap(commands, secondary);
            begin();
            if (conditional) beginCondition(commands, &condition);
            execute(commands, 1, &secondary);
            EXPECT_EQ(end() == VK_SUCCESS, !converts || !conditional);
        }
    }
    freeOne(secondary);
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
}  // namespace coopvk::test::conversion_state_test
