// SPDX-License-Identifier: Apache-2.0
//
// What a device computes with: buffers with memory of their own, and a command buffer.
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>

#include "gpu_setup.hpp"

namespace coopvk::vulkan {

struct DeviceRef {
    VkPhysicalDevice physical;
    PFN_vkGetPhysicalDeviceMemoryProperties memoryProperties;
    VkDevice device;
    const VolkDeviceTable& vk;

    uint32_t memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
        return vulkan::memoryType(physical, memoryProperties, allowed, wanted);
    }
};

inline constexpr VkMemoryPropertyFlags kHostMemory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// The device must outlive it.
class Buffer {
 public:
    Buffer(const DeviceRef& device, VkDeviceSize bytes, VkBufferUsageFlags usage,
           VkMemoryPropertyFlags wanted = kHostMemory);
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    VkBuffer handle = VK_NULL_HANDLE;
    std::byte* map = nullptr;     // null unless memory that the host sees was wanted
    VkDeviceAddress address = 0;  // 0 unless the usage has addresses

 private:
    void allocate(const DeviceRef& device, VkBufferUsageFlags usage, VkMemoryPropertyFlags wanted);
    void destroy() noexcept;

    VkDevice device_;
    const VolkDeviceTable& vk_;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

// A command buffer that is recorded and executed again and again. The device must outlive it.
class Commands {
 public:
    Commands(VkDevice device, const VolkDeviceTable& vk, VkQueue queue, uint32_t family);
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;
    ~Commands();

    // Records by record(VkCommandBuffer), submits, and waits; then the host may read what the
    // device wrote. Throws VK_ERROR_DEVICE_LOST after so many nanoseconds.
    template <typename Record>
    void run(const Record& record, uint64_t timeout = UINT64_MAX) {
        begin();
        record(primary);
        end();
        submit();
        wait(timeout);
    }
    // The steps of this. At the end the host may read what accesses of these kinds wrote.
    void begin();
    void end(VkAccessFlags written = VK_ACCESS_MEMORY_WRITE_BIT);
    void submit();
    void wait(uint64_t timeout = UINT64_MAX);

    VkCommandBuffer primary = VK_NULL_HANDLE;
    // Another one of its pool.
    VkCommandBuffer allocate(VkCommandBufferLevel level);

 private:
    void make();
    void destroy() noexcept;

    VkDevice device_;
    const VolkDeviceTable& vk_;
    VkQueue queue_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace coopvk::vulkan
