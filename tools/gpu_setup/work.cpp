// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

namespace coopvk::vulkan {

Buffer::Buffer(const DeviceRef& device, VkDeviceSize bytes, VkBufferUsageFlags usage,
               VkMemoryPropertyFlags wanted)
    : device_(device.device), vk_(device.vk) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage;
    COOPVK_CHECK(vk_.vkCreateBuffer(device_, &info, nullptr, &handle));
    try {
        allocate(device, usage, wanted);
    } catch (...) {
        destroy();
        throw;
    }
}

void Buffer::allocate(const DeviceRef& device, VkBufferUsageFlags usage,
                      VkMemoryPropertyFlags wanted) {
    VkMemoryRequirements needed;
    vk_.vkGetBufferMemoryRequirements(device_, handle, &needed);
    const bool hasAddress = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          hasAddress ? &flags : nullptr, needed.size,
                                          device.memoryType(needed.memoryTypeBits, wanted)};
    COOPVK_CHECK(vk_.vkAllocateMemory(device_, &allocation, nullptr, &memory_));
    COOPVK_CHECK(vk_.vkBindBufferMemory(device_, handle, memory_, 0));
    if ((wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
        void* mapped = nullptr;
        COOPVK_CHECK(vk_.vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped));
        map = static_cast<std::byte*>(mapped);
    }
    if (!hasAddress) return;
    VkBufferDeviceAddressInfo where{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    where.buffer = handle;
    address = vk_.vkGetBufferDeviceAddress(device_, &where);
}

void Buffer::destroy() noexcept {
    vk_.vkDestroyBuffer(device_, handle, nullptr);
    vk_.vkFreeMemory(device_, memory_, nullptr);
}

Buffer::~Buffer() { destroy(); }

Commands::Commands(VkDevice device, const VolkDeviceTable& vk, VkQueue queue, uint32_t family)
    : device_(device), vk_(vk), queue_(queue) {
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    COOPVK_CHECK(vk_.vkCreateCommandPool(device_, &pool, nullptr, &pool_));
    try {
        make();
    } catch (...) {
        destroy();
        throw;
    }
}

void Commands::make() {
    primary = allocate(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    COOPVK_CHECK(vk_.vkCreateFence(device_, &fence, nullptr, &fence_));
}

VkCommandBuffer Commands::allocate(VkCommandBufferLevel level) {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                           pool_, level, 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    COOPVK_CHECK(vk_.vkAllocateCommandBuffers(device_, &info, &commands));
    return commands;
}

void Commands::destroy() noexcept {
    vk_.vkDestroyFence(device_, fence_, nullptr);
    vk_.vkDestroyCommandPool(device_, pool_, nullptr);
}

Commands::~Commands() { destroy(); }

void Commands::begin() {
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    COOPVK_CHECK(vk_.vkBeginCommandBuffer(primary, &info));
}

void Commands::end(VkAccessFlags written) {
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = written;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vk_.vkCmdPipelineBarrier(primary, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    COOPVK_CHECK(vk_.vkEndCommandBuffer(primary));
}

void Commands::submit() {
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &primary;
    COOPVK_CHECK(vk_.vkQueueSubmit(queue_, 1, &info, fence_));
}

void Commands::wait(uint64_t timeout) {
    const VkResult waited = vk_.vkWaitForFences(device_, 1, &fence_, VK_TRUE, timeout);
    check(waited == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : waited, "vkWaitForFences");
    COOPVK_CHECK(vk_.vkResetFences(device_, 1, &fence_));
}

}  // namespace coopvk::vulkan
