// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "properties.hpp"

namespace coopvk::reference::icd {
namespace {

VkMemoryRequirements requirements(VkDeviceSize size) {
    constexpr uint32_t kAllTypes = (1u << std::size(kMemoryTypes)) - 1;
    const VkDeviceSize whole = (size + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    return {whole, kBufferAlignment, kAllTypes};
}

void fillRequirements(VkDeviceSize size, VkMemoryRequirements2& out) {
    out.memoryRequirements = requirements(size);
    auto* dedicated = findOut<VkMemoryDedicatedRequirements>(
        out.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
    if (dedicated != nullptr)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = VK_FALSE;
}

}  // namespace

VkResult CreateBuffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                      VkBuffer* out) {
    if (info->size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return make<Buffer>(out, info->size);
}

void DestroyBuffer(VkDevice device, VkBuffer handle, const VkAllocationCallbacks* allocator) {
    const Buffer* buffer = from<Buffer>(handle);
    if (buffer != nullptr && buffer->range.data != nullptr)
        from<Device>(device)->addresses.remove(buffer->range);
    destroy<Buffer>(device, handle, allocator);
}

VkResult BindBufferMemory(VkDevice device, VkBuffer handle, VkDeviceMemory memory,
                          VkDeviceSize offset) {
    Buffer& buffer = *from<Buffer>(handle);
    buffer.range = part(from<Memory>(memory)->range, offset, buffer.size);
    // Decode functions of cooperative matrices take addresses of any buffer.
    from<Device>(device)->addresses.add(buffer.range);
    return VK_SUCCESS;
}

VkResult BindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo* infos) {
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result =
            BindBufferMemory(device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
        const auto* status =
            find<VkBindMemoryStatus>(infos[i].pNext, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS);
        if (status != nullptr) *status->pResult = result;
    }
    return VK_SUCCESS;
}

void GetBufferMemoryRequirements(VkDevice, VkBuffer handle, VkMemoryRequirements* out) {
    *out = requirements(from<Buffer>(handle)->size);
}

void GetBufferMemoryRequirements2(VkDevice, const VkBufferMemoryRequirementsInfo2* info,
                                  VkMemoryRequirements2* out) {
    fillRequirements(from<Buffer>(info->buffer)->size, *out);
}

void GetDeviceBufferMemoryRequirements(VkDevice, const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* out) {
    fillRequirements(info->pCreateInfo->size, *out);
}

VkDeviceAddress GetBufferDeviceAddress(VkDevice, const VkBufferDeviceAddressInfo* info) {
    return from<Buffer>(info->buffer)->range.address;
}

uint64_t GetBufferOpaqueCaptureAddress(VkDevice, const VkBufferDeviceAddressInfo*) { return 0; }

}  // namespace coopvk::reference::icd
