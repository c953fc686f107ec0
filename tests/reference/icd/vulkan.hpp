// SPDX-License-Identifier: Apache-2.0
//
// The driver through the real loader: VK_DRIVER_FILES names its manifest.
#pragma once

#include <gtest/gtest.h>
#include <volk.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace coopvk::reference::test {

#define ASSERT_VK(call) ASSERT_EQ(call, VK_SUCCESS)
#define EXPECT_VK(call) EXPECT_EQ(call, VK_SUCCESS)

// An instance, and a device with everything that the driver has, for one test. Warnings and errors
// that the test did not take fail it.
class Vulkan : public testing::Test {
 protected:
    void SetUp() override;
    void TearDown() override;

    // What messengers got since the last call.
    std::vector<std::string> takeMessages();
    bool hasMessages();

    // Besides those that all tests need. With VK_EXT_robustness2 descriptors may be null.
    std::vector<const char*> instanceExtensions, deviceExtensions;
    void* moreFeatures = nullptr;  // of such extensions
    bool hasNullDescriptors = true;

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;  // one of `queues`
    std::array<VkQueue, 2> queues = {};
    VkCommandPool pool = VK_NULL_HANDLE;

    void createDevice();
    // Records and submits, with a barrier to the host at the end; returns what vkWaitForFences
    // does.
    VkResult run(const std::function<void(VkCommandBuffer)>& commands);
    VkCommandBuffer allocate(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);

 private:
    static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                    VkDebugUtilsMessageTypeFlagsEXT,
                                                    const VkDebugUtilsMessengerCallbackDataEXT*,
                                                    void*);
    void createInstance();

    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

// All that commands did so far is complete, and visible to what follows and to the host.
void fullBarrier(VkCommandBuffer commands);

// A buffer with memory of its own; mapped, unless it is of type 0, which the host does not see.
class Words {
 public:
    Words(VkDevice device, std::vector<uint32_t> values, uint32_t memoryType = 1,
          VkBufferUsageFlags more = 0);
    // As many words as there are in memory of this kind, which others may have, too. `allocation`
    // says so in the chain of the allocation. Bytes stay as they are.
    Words(VkDevice device, size_t count, VkDeviceSize size, const void* allocation,
          VkExternalMemoryHandleTypeFlags kind, uint32_t memoryType = 1);
    ~Words();
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    uint32_t& operator[](size_t i) { return map_[i]; }
    std::vector<uint32_t> values() const { return {map_, map_ + count_}; }
    VkDeviceAddress address() const;
    // Before the buffer is destroyed.
    void freeMemory();
    VkDescriptorBufferInfo info(VkDeviceSize offset = 0, VkDeviceSize size = VK_WHOLE_SIZE) const {
        return {buffer, offset, size};
    }

    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory() const { return memory_; }

 private:
    VkDevice device_;
    size_t count_;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    uint32_t* map_ = nullptr;

    void create(const void* external, VkBufferUsageFlags more = 0);
    void allocate(VkDeviceSize size, uint32_t memoryType, const void* next);
};

}  // namespace coopvk::reference::test
