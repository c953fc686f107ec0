// SPDX-License-Identifier: Apache-2.0
//
// Buffers and their memory.
#include "chain/pnext.hpp"
#include "chain/scratch.hpp"
#include "inputs/commands.hpp"
#include "inputs/inputs_of.hpp"

namespace coopvk::layer::inputs {
namespace {

constexpr auto kUsage2 = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;

VkBufferUsageFlags2 usageOf(const VkBufferCreateInfo& info) {
    const auto* usage = findNode<VkBufferUsageFlags2CreateInfo>(info.pNext, kUsage2);
    return usage != nullptr ? usage->usage : info.usage;
}

// Buffers that other APIs share must be made with the same usage there.
bool mayAddUsage(const VkBufferCreateInfo& info) {
    return findNode(info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO) == nullptr;
}

// The create info with the usage that copies need. Where that is not possible, it stays as it is.
struct CopyableInfo {
    explicit CopyableInfo(const VkBufferCreateInfo& from) : info(from) {
        if (!mayAddUsage(from)) return;
        const auto* usage = findNode<VkBufferUsageFlags2CreateInfo>(from.pNext, kUsage2);
        info.usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
        if (usage == nullptr || usage != from.pNext) return;  // behind others it stays
        usage2 = *usage;
        usage2.usage |= VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT;
        info.pNext = &usage2;
    }
    CopyableInfo(const CopyableInfo&) = delete;
    CopyableInfo& operator=(const CopyableInfo&) = delete;

    VkBufferCreateInfo info;
    VkBufferUsageFlags2CreateInfo usage2 = {};
};

void noteMemory(DispatchInputs& inputs, VkBuffer handle, VkDeviceMemory memory,
                VkDeviceSize offset) {
    TrackedBuffer* buffer = nullptr;  // stays until the application destroys it
    inputs.track([&](State& state) {
        const auto found = state.objects.buffers.find(handle);
        if (found == state.objects.buffers.end()) return;
        buffer = &found->second;
        buffer->memory = reinterpret_cast<uint64_t>(memory);
        buffer->memoryOffset = offset;
    });
    if (buffer == nullptr || !buffer->hasAddress) return;
    const auto core =
        either(inputs, &Table::GetBufferDeviceAddress, &Table::GetBufferDeviceAddressKHR);
    const auto get = core != nullptr ? core : inputs.driver.next.GetBufferDeviceAddressEXT;
    if (get == nullptr) return;
    VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = handle;
    const VkDeviceAddress address = get(inputs.driver.device, &info);
    inputs.track([&](State&) { buffer->address = address; });
}

}  // namespace

VkResult createBuffer(VkDevice device, const VkBufferCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
    DispatchInputs& inputs = inputsOf(device);
    const CopyableInfo copyable(*info);
    const VkResult result =
        inputs.driver.next.CreateBuffer(device, &copyable.info, allocator, buffer);
    if (result != VK_SUCCESS) return result;
    const VkBufferUsageFlags2 usage = usageOf(copyable.info);
    TrackedBuffer tracked = {.handle = *buffer, .size = info->size};
    tracked.canBeCopied = (usage & VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT) != 0 &&
                          (info->flags & VK_BUFFER_CREATE_PROTECTED_BIT) == 0;
    tracked.hasAddress = (usage & VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT) != 0;
    inputs.track([&](State& state) { state.objects.buffers[*buffer] = tracked; });
    return result;
}

void destroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.objects.buffers.erase(buffer); });
    inputs.driver.next.DestroyBuffer(device, buffer, allocator);
}

VkResult bindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                          VkDeviceSize offset) {
    DispatchInputs& inputs = inputsOf(device);
    const VkResult result = inputs.driver.next.BindBufferMemory(device, buffer, memory, offset);
    if (result == VK_SUCCESS) noteMemory(inputs, buffer, memory, offset);
    return result;
}

VkResult bindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo* infos) {
    DispatchInputs& inputs = inputsOf(device);
    const auto next = either(inputs, &Table::BindBufferMemory2, &Table::BindBufferMemory2KHR);
    const VkResult result = next(device, count, infos);
    if (result != VK_SUCCESS) return result;
    for (const VkBindBufferMemoryInfo& info : std::span(infos, count))
        noteMemory(inputs, info.buffer, info.memory, info.memoryOffset);
    return result;
}

// As for the buffer that createBuffer() would make.
void getDeviceBufferMemoryRequirements(VkDevice device,
                                       const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* requirements) {
    const auto next = either(inputsOf(device), &Table::GetDeviceBufferMemoryRequirements,
                             &Table::GetDeviceBufferMemoryRequirementsKHR);
    const CopyableInfo copyable(*info->pCreateInfo);
    VkDeviceBufferMemoryRequirements changed = *info;
    changed.pCreateInfo = &copyable.info;
    next(device, &changed, requirements);
}

}  // namespace coopvk::layer::inputs
