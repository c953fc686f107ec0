// SPDX-License-Identifier: Apache-2.0
//
// Events and semaphores that wait for conversions: the driver gets the stage of compute shaders for
// each of them, and all others as they are.
#include <gtest/gtest.h>

#include "conversion/conversion_state.hpp"

namespace coopvk::test::conversion_sync_test {
namespace {

constexpr uint64_t kConversion = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
constexpr uint64_t kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr uint64_t kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;

constexpr uint64_t asDrivers(uint64_t stage) { return stage == kConversion ? kCompute : stage; }

TEST_F(ConversionState, Events) {
    for (const uint64_t stage : {kConversion, kCopy}) {
        VkMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = stage;
        barrier.dstStageMask = kCopy;
        VkBufferMemoryBarrier2 ofBuffer = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
        ofBuffer.srcStageMask = kCopy;
        ofBuffer.dstStageMask = stage;
        VkDependencyInfo dependencies[2] = {{VK_STRUCTURE_TYPE_DEPENDENCY_INFO},
                                            {VK_STRUCTURE_TYPE_DEPENDENCY_INFO}};
        dependencies[0].memoryBarrierCount = dependencies[1].bufferMemoryBarrierCount = 1;
        dependencies[0].pMemoryBarriers = &barrier;
        dependencies[1].pBufferMemoryBarriers = &ofBuffer;
        const uint64_t expected = asDrivers(stage);
        driver.seenCommands.clear();
        const auto set = COOPVK_DEVICE_COMMAND(driver, device, vkCmdSetEvent2);
        for (const VkDependencyInfo& one : dependencies) set(commands, VK_NULL_HANDLE, &one);
        const VkEvent events[2] = {};
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdWaitEvents2)
        (commands, 2, events, dependencies);
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdResetEvent2)(commands, VK_NULL_HANDLE, stage);
        EXPECT_EQ(driver.seenCommands,
                  (Commands{{"vkCmdSetEvent2", {expected, kCopy}},
                            {"vkCmdSetEvent2", {kCopy, expected}},
                            {"vkCmdWaitEvents2", {expected, kCopy, kCopy, expected}},
                            {"vkCmdResetEvent2", {expected}}}));
        EXPECT_EQ(barrier.srcStageMask, stage) << "the application's";
    }
}

TEST_F(ConversionState, WhatIsWrittenBehindAStage) {
    for (const uint64_t stage : {kConversion, kCopy}) {
        driver.seenCommands.clear();
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdWriteTimestamp2)
        (commands, stage, VK_NULL_HANDLE, 3);
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdWriteBufferMarker2AMD)
        (commands, stage, VK_NULL_HANDLE, 16, 5);
        EXPECT_EQ(driver.seenCommands,
                  (Commands{{"vkCmdWriteTimestamp2", {asDrivers(stage), 3}},
                            {"vkCmdWriteBufferMarker2AMD", {asDrivers(stage), 16, 5}}}));
    }
}

// Wherever it is in a submission: among those that are waited for, or that are signalled.
TEST_F(ConversionState, Semaphores) {
    const auto submit = COOPVK_DEVICE_COMMAND(driver, device, vkQueueSubmit2);
    const auto queue = reinterpret_cast<VkQueue>(device);  // has the device's dispatch key
    for (size_t of = 0; of <= 4; ++of) {                   // at 4 there is none
        VkSemaphoreSubmitInfo semaphores[4] = {};
        std::vector<uint64_t> expected(4, kCopy);
        for (size_t i = 0; i < 4; ++i) {
            semaphores[i].sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
            semaphores[i].stageMask = i == of ? kConversion : kCopy;
        }
        if (of < 4) expected[of] = kCompute;
        VkSubmitInfo2 submission = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
        submission.waitSemaphoreInfoCount = submission.signalSemaphoreInfoCount = 2;
        submission.pWaitSemaphoreInfos = semaphores;
        submission.pSignalSemaphoreInfos = semaphores + 2;
        driver.seenCommands.clear();
        EXPECT_EQ(submit(queue, 1, &submission, VK_NULL_HANDLE), VK_SUCCESS);
        EXPECT_EQ(driver.seenCommands, (Commands{{"vkQueueSubmit2", expected}})) << of;
    }
}

// Dependencies of render passes name stages in a barrier of their chain.
TEST_F(ConversionState, RenderPasses) {
    VkMemoryBarrier2 barriers[2] = {{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2},
                                    {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2}};
    barriers[0].srcStageMask = kCopy;
    barriers[1].srcStageMask = kConversion;
    VkSubpassDependency2 dependencies[3] = {};
    for (size_t i = 0; i < 3; ++i) {
        dependencies[i].sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
        if (i > 0) dependencies[i].pNext = &barriers[i - 1];
    }
    VkRenderPassCreateInfo2 made = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    made.dependencyCount = 3;
    made.pDependencies = dependencies;
    VkRenderPass pass = VK_NULL_HANDLE;
    driver.seenCommands.clear();
    COOPVK_DEVICE_COMMAND(driver, device, vkCreateRenderPass2)(device, &made, nullptr, &pass);
    EXPECT_EQ(driver.seenCommands, (Commands{{"vkCreateRenderPass2", {0, kCopy, kCompute}}}));
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyRenderPass)(device, pass, nullptr);
    EXPECT_EQ(barriers[1].srcStageMask, kConversion) << "the application's";
}

}  // namespace
}  // namespace coopvk::test::conversion_sync_test
