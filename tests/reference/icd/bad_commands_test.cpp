// SPDX-License-Identifier: Apache-2.0
//
// Command buffers in a wrong state, commands and descriptors that do not fit, an endless loop.
#include <chrono>

#include "bad_use.hpp"
#include "endless.spv.h"
#include "size.spv.h"

namespace coopvk::reference::test::bad_commands_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr auto kMax32 = std::numeric_limits<uint32_t>::max();
using Values = std::vector<uint32_t>;

class BadCommands : public BadUse {};

TEST_F(BadCommands, CommandBuffersInAWrongState) {
    Words words(device, {1, 2});
    const VkCommandBuffer commands = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    EXPECT_EQ(submit(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    vkCmdFillBuffer(commands, words.buffer, 0, 8, 0);
    EXPECT_VK(vkBeginCommandBuffer(commands, &begin));
    EXPECT_EQ(vkBeginCommandBuffer(commands, &begin), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(submit(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_VK(vkBeginCommandBuffer(commands, &begin));
    EXPECT_VK(vkEndCommandBuffer(commands));
    EXPECT_VK(submit(commands));
    EXPECT_VK(vkQueueWaitIdle(queue));
    EXPECT_EQ(takeMessages().size(), 5u);
    // One that is a part of itself.
    EXPECT_VK(vkBeginCommandBuffer(commands, &begin));
    vkCmdExecuteCommands(commands, 1, &commands);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessages("coopvk-reference-usage: vkCmdExecuteCommands: ");
}

// While the queue has a command buffer, the program may not change it.
TEST_F(BadCommands, CommandBuffersThatTheQueueHas) {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateEvent(device, &info, nullptr, &event));
    const VkCommandBuffer commands = begun();
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, kAll, 0, nullptr, 0, nullptr,
                    0, nullptr);
    EXPECT_VK(vkEndCommandBuffer(commands));
    EXPECT_VK(submit(commands));
    EXPECT_EQ(vkResetCommandBuffer(commands, 0), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkResetCommandPool(device, pool, 0), VK_ERROR_VALIDATION_FAILED_EXT);
    vkFreeCommandBuffers(device, pool, 1, &commands);
    EXPECT_EQ(takeMessages().size(), 3u);
    EXPECT_VK(vkSetEvent(device, event));
    EXPECT_VK(vkQueueWaitIdle(queue));
    vkDestroyEvent(device, event, nullptr);
    vkFreeCommandBuffers(device, pool, 1, &commands);
}

TEST_F(BadCommands, CommandsThatDoNotFit) {
    Layout layout(device, {binding(0, kStorage)});
    Words words(device, {1, 2, 3, 4});
    const VkBufferCopy regions[] = {{12, 0, 8}, {0, 16, 4}, {~VkDeviceSize{0}, 0, 4}};
    for (const VkBufferCopy& region : regions)
        expectRefused([&](VkCommandBuffer commands) {
            vkCmdCopyBuffer(commands, words.buffer, words.buffer, 1, &region);
        });
    expectRefused(
        [&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, words.buffer, 12, 8, 0); });
    expectRefused([&](VkCommandBuffer commands) {
        vkCmdUpdateBuffer(commands, words.buffer, 16, 4, &regions);
    });
    expectRefused([&](VkCommandBuffer commands) { vkCmdDispatch(commands, 1, 1, 1); });
    expectRefused([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, kCompute, layout.pipeline(kSizeWords));
        vkCmdDispatchIndirect(commands, words.buffer, 8);
    });
    expectRefused([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, kCompute, layout.pipeline(kSizeWords));
        vkCmdDispatch(commands, kMax32, 1, 1);
    });
    expectRefused([&](VkCommandBuffer commands) { vkCmdDraw(commands, 3, 1, 0, 0); });
    expectRefused(
        [&](VkCommandBuffer commands) { vkCmdBindPipeline(commands, kCompute, VK_NULL_HANDLE); });
    expectRefused([&](VkCommandBuffer commands) {
        vkCmdCopyBuffer(commands, words.buffer, words.buffer, 1, nullptr);
    });
    EXPECT_EQ(words.values(), (Values{1, 2, 3, 4}));
}

TEST_F(BadCommands, DescriptorsThatDoNotExist) {
    Layout layout(device, {binding(0, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    Words words(device, Values(8, 1));
    const VkDescriptorBufferInfo good = words.info(), none{VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                 behind = words.info(32), misaligned = words.info(4),
                                 tooLong = words.info(16, 32);
    VkWriteDescriptorSet noArray = write(set, 0, kStorage, {&good, 1});
    noArray.pBufferInfo = nullptr;
    const VkWriteDescriptorSet writes[] = {
        write(set, 1, kStorage, {&good, 1}),
        write(set, 0, kStorage, {&good, 1}, 1),
        write(set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {&good, 1}),
        write(VK_NULL_HANDLE, 0, kStorage, {&good, 1}),
        write(set, 0, kStorage, {&none, 1}),
        write(set, 0, kStorage, {&behind, 1}),
        write(set, 0, kStorage, {&misaligned, 1}),
        write(set, 0, kStorage, {&tooLong, 1}),
        noArray,
    };
    for (const VkWriteDescriptorSet& each : writes) {
        vkUpdateDescriptorSets(device, 1, &each, 0, nullptr);
        EXPECT_EQ(takeMessages().size(), 1u) << &each - writes;
    }
}

// The device ends what its queue executes.
TEST_F(BadCommands, DevicesDestroyedInAnEndlessLoop) {
    Layout* layout = new Layout(device, {binding(0, kStorage)});  // which goes with the device
    const VkDescriptorSet set = layout->allocate();
    Words* words = new Words(device, {1, 0});
    const VkDescriptorBufferInfo info = words->info();
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&info, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);
    const VkCommandBuffer commands = begun();
    vkCmdBindPipeline(commands, kCompute, layout->pipeline(kEndlessWords));
    vkCmdBindDescriptorSets(commands, kCompute, layout->pipelines, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(commands, 1, 1, 1);
    EXPECT_VK(vkEndCommandBuffer(commands));
    EXPECT_VK(submit(commands));
    const auto begin = std::chrono::steady_clock::now();
    vkDestroyDevice(device, nullptr);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    expectMessages("coopvk-reference-usage: vkDestroyDevice: ");
    createDevice();
    const VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    ASSERT_VK(vkCreateCommandPool(device, &poolInfo, nullptr, &pool));
}

}  // namespace
}  // namespace coopvk::reference::test::bad_commands_test
