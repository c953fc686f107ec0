// SPDX-License-Identifier: Apache-2.0
//
// Objects that were destroyed, and memory that cannot be as a program asks.
#include "bad_use.hpp"
#include "size.spv.h"

namespace coopvk::reference::test::bad_objects_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
using Values = std::vector<uint32_t>;

class BadObjects : public BadUse {};

TEST_F(BadObjects, BuffersBoundTwiceOrBehindTheEnd) {
    Words words(device, {1, 2, 3, 4});
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 128, 1};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    EXPECT_EQ(vkBindBufferMemory(device, words.buffer, memory, 0), VK_ERROR_VALIDATION_FAILED_EXT);
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 65;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateBuffer(device, &info, nullptr, &buffer));
    for (const VkDeviceSize offset : {64, 60})
        EXPECT_EQ(vkBindBufferMemory(device, buffer, memory, offset),
                  VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_VK(vkBindBufferMemory(device, buffer, memory, 0));
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
    expectMessages("coopvk-reference-usage");
}

// A command buffer whose objects are gone is not submitted.
TEST_F(BadObjects, CommandsOnDestroyedBuffers) {
    Words kept(device, {1, 2});
    auto gone = std::make_unique<Words>(device, Values{3, 4});
    const VkCommandBuffer commands = begun();
    const VkBufferCopy region{0, 0, 8};
    vkCmdCopyBuffer(commands, gone->buffer, kept.buffer, 1, &region);
    gone.reset();
    EXPECT_VK(vkEndCommandBuffer(commands));
    EXPECT_EQ(submit(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(kept.values(), (Values{1, 2}));
    expectMessages("coopvk-reference-usage: vkQueueSubmit: ");
}

// What a set's descriptors refer to, or the set itself, is gone.
TEST_F(BadObjects, DispatchesWithDestroyedObjects) {
    auto layout = std::make_unique<Layout>(device, std::vector{binding(0, kStorage)});
    const VkDescriptorSet set = layout->allocate();
    Words words(device, {5, 5});
    const VkDescriptorBufferInfo info = words.info();
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&info, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);
    const auto record = [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, kCompute, layout->pipeline(kSizeWords));
        vkCmdBindDescriptorSets(commands, kCompute, layout->pipelines, 0, 1, &set, 0, nullptr);
        vkCmdDispatch(commands, 1, 1, 1);
    };
    EXPECT_VK(run(record));
    EXPECT_EQ(words.values(), (Values{32, 4}));
    const VkCommandBuffer commands = begun();
    record(commands);
    EXPECT_VK(vkEndCommandBuffer(commands));
    words.freeMemory();
    EXPECT_VK(submit(commands));
    EXPECT_EQ(vkQueueWaitIdle(queue), VK_ERROR_DEVICE_LOST);
    const std::vector<std::string> messages = takeMessages();
    ASSERT_FALSE(messages.empty());
    EXPECT_NE(messages.back().find("set 0, binding 0"), std::string::npos) << messages.back();
    layout.reset();
    EXPECT_EQ(submit(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessages("coopvk-reference-usage");
}

TEST_F(BadObjects, SetsWithADestroyedBuffer) {
    Layout layout(device, {binding(0, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    Words words(device, {5, 5});
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 8;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateBuffer(device, &info, nullptr, &buffer));
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 64, 1};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    ASSERT_VK(vkBindBufferMemory(device, buffer, memory, 0));
    const VkDescriptorBufferInfo whole{buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&whole, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);
    vkDestroyBuffer(device, buffer, nullptr);
    EXPECT_EQ(run([&](VkCommandBuffer commands) {
                  vkCmdBindPipeline(commands, kCompute, layout.pipeline(kSizeWords));
                  vkCmdBindDescriptorSets(commands, kCompute, layout.pipelines, 0, 1, &set, 0,
                                          nullptr);
                  vkCmdDispatch(commands, 1, 1, 1);
              }),
              VK_ERROR_DEVICE_LOST);
    EXPECT_FALSE(takeMessages().empty());
    vkFreeMemory(device, memory, nullptr);
}

// Each object that can be made without another one, and those of pools.
TEST_F(BadObjects, ObjectsDestroyedTwice) {
    Words words(device, {1});
    VkBuffer buffer = VK_NULL_HANDLE;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 16;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    ASSERT_VK(vkCreateBuffer(device, &info, nullptr, &buffer));
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 64, 1};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateFence(device, &fenceInfo, nullptr, &fence));
    const VkCommandBuffer commands = allocate();
    for (int i = 0; i < 2; ++i) {
        vkDestroyBuffer(device, buffer, nullptr);
        vkFreeMemory(device, memory, nullptr);
        vkDestroyFence(device, fence, nullptr);
        vkFreeCommandBuffers(device, pool, 1, &commands);
        EXPECT_EQ(takeMessages().size(), i == 0 ? 0u : 4u);
    }
    void* data = nullptr;
    EXPECT_EQ(vkMapMemory(device, memory, 0, 4, 0, &data), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkBindBufferMemory(device, buffer, memory, 0), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkGetFenceStatus(device, fence), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkWaitForFences(device, 1, &fence, VK_TRUE, 0), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(submit(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(takeMessages().size(), 5u);
    // Its message has no instance, and goes to stderr.
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    // A handle of another kind.
    const auto wrong = reinterpret_cast<VkFence>(words.buffer);
    EXPECT_EQ(vkGetFenceStatus(device, wrong), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkGetFenceStatus(device, VK_NULL_HANDLE), VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessages("coopvk-reference-usage: vkGetFenceStatus: ");
}

TEST_F(BadObjects, MemoryThatCannotBe) {
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 64, 99};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_EQ(vkAllocateMemory(device, &allocation, nullptr, &memory),
              VK_ERROR_VALIDATION_FAILED_EXT);
    allocation.memoryTypeIndex = 0;  // of the device alone
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    void* data = nullptr;
    EXPECT_EQ(vkMapMemory(device, memory, 0, 4, 0, &data), VK_ERROR_VALIDATION_FAILED_EXT);
    vkFreeMemory(device, memory, nullptr);
    allocation.memoryTypeIndex = 1;
    ASSERT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
    EXPECT_EQ(vkMapMemory(device, memory, 60, 8, 0, &data), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(vkMapMemory(device, memory, 64, VK_WHOLE_SIZE, 0, &data),
              VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_VK(vkMapMemory(device, memory, 60, 4, 0, &data));
    EXPECT_EQ(vkMapMemory(device, memory, 60, 4, 0, &data), VK_ERROR_VALIDATION_FAILED_EXT);
    vkUnmapMemory(device, memory);
    vkUnmapMemory(device, memory);
    EXPECT_EQ(takeMessages().size(), 6u);
    vkFreeMemory(device, memory, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::bad_objects_test
