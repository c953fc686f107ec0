// SPDX-License-Identifier: Apache-2.0
//
// Buffers and memory, which only matrix conversions make.
#include <iterator>

#include "chain/pnext.hpp"
#include "fakes/fake_parts.hpp"

namespace coopvk::test::fake {
namespace {

VkResult createBuffer(VkDevice, const VkBufferCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkBuffer* out) {
    const VkResult result = makeObject(allocator, out);
    if (result == VK_SUCCESS) driver().buffers[numberOf(*out)] = {info->size, 0};
    return result;
}

void destroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
    driver().buffers.erase(numberOf(buffer));
    destroyObject(device, buffer, allocator);
}

void getBufferRequirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* needs) {
    *needs = {driver().buffers.at(numberOf(buffer)).size, 16, ~0u};
}

void getMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* properties) {
    constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                    kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                    kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kTypes[] = {
        kLocal,
        kVisible,
        kVisible | kCoherent | kLocal | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD,
        kVisible | kCoherent,
        kVisible | kCoherent | kLocal,
    };
    *properties = {};
    properties->memoryTypeCount = std::size(kTypes);
    for (size_t i = 0; i < std::size(kTypes); ++i) {
        properties->memoryTypes[i].propertyFlags = kTypes[i];
    }
    properties->memoryHeapCount = 1;
}

VkResult allocateMemory(VkDevice, const VkMemoryAllocateInfo* info,
                        const VkAllocationCallbacks* allocator, VkDeviceMemory* out) {
    happen("vkAllocateMemory");
    driver().memoryTypes.push_back(info->memoryTypeIndex);
    const auto* flags = layer::findNode<VkMemoryAllocateFlagsInfo>(
        info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    driver().memoryFlags.push_back(flags != nullptr ? flags->flags : 0);
    if (driver().fullMemoryTypes.contains(info->memoryTypeIndex)) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const VkResult result = makeObject(allocator, out);
    if (result == VK_SUCCESS) driver().memory[numberOf(*out)].resize(info->allocationSize);
    return result;
}

void freeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
    driver().memory.erase(numberOf(memory));
    destroyObject(device, memory, allocator);
}

VkResult mapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize,
                   VkMemoryMapFlags, void** out) {
    *out = driver().memory.at(numberOf(memory)).data() + offset;
    return VK_SUCCESS;
}

VkResult bindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
    const std::byte* bytes = driver().memory.at(numberOf(memory)).data();
    driver().buffers.at(numberOf(buffer)).address =
        driver().addressBase + reinterpret_cast<uintptr_t>(bytes) + offset;
    return VK_SUCCESS;
}

VkDeviceAddress getBufferAddress(VkDevice, const VkBufferDeviceAddressInfo* info) {
    return driver().buffers.at(numberOf(info->buffer)).address;
}

const Entry kEntries[] = {
    COOPVK_FAKE(vkCreateBuffer, createBuffer),
    COOPVK_FAKE(vkDestroyBuffer, destroyBuffer),
    COOPVK_FAKE(vkGetBufferMemoryRequirements, getBufferRequirements),
    COOPVK_FAKE(vkGetPhysicalDeviceMemoryProperties, getMemoryProperties),
    COOPVK_FAKE(vkAllocateMemory, allocateMemory),
    COOPVK_FAKE(vkFreeMemory, freeMemory),
    COOPVK_FAKE(vkMapMemory, mapMemory),
    COOPVK_FAKE(vkBindBufferMemory, bindBufferMemory),
    COOPVK_FAKE(vkGetBufferDeviceAddress, getBufferAddress),
};

}  // namespace

std::span<const Entry> memoryEntries() { return kEntries; }

}  // namespace coopvk::test::fake
