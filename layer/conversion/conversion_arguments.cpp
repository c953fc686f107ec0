// SPDX-License-Identifier: Apache-2.0
#include "conversion/conversion_arguments.hpp"

#include <iterator>

#include "objects/context.hpp"
#include "objects/guard.hpp"

namespace coopvk::layer {
namespace {

constexpr VkMemoryPropertyFlags kNear = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
// Memory with other properties needs features, or is for other uses.
constexpr VkMemoryPropertyFlags kAny = kNear | kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

VkDeviceAddress addressOf(const DeviceContext& device, VkBuffer buffer) {
    VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = buffer;
    const auto& next = device.next;
    const auto get = firstOf(next.GetBufferDeviceAddress, next.GetBufferDeviceAddressKHR,
                             next.GetBufferDeviceAddressEXT);
    return get != nullptr ? get(device.handle, &info) : 0;
}

// Memory of the first of the types that has all of `wanted` and for which there is memory.
VkResult allocate(const DeviceContext& device, const VkMemoryRequirements& needs,
                  VkMemoryPropertyFlags wanted, VkDeviceMemory& memory) {
    VkPhysicalDeviceMemoryProperties types;
    device.instance->next.GetPhysicalDeviceMemoryProperties(device.physicalHandle, &types);
    // VK_EXT_buffer_device_address has no such flag.
    const VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                             VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const bool flagged = firstOf(device.next.GetBufferDeviceAddress,
                                 device.next.GetBufferDeviceAddressKHR) != nullptr;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, flagged ? &flags : nullptr,
                                 needs.size};
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (uint32_t i = 0; i < types.memoryTypeCount && result != VK_SUCCESS; ++i) {
        const VkMemoryPropertyFlags has = types.memoryTypes[i].propertyFlags;
        const bool fits = (needs.memoryTypeBits >> i & 1) != 0;
        if (!fits || (has & wanted) != wanted || (has & ~kAny) != 0) continue;
        info.memoryTypeIndex = i;
        result = device.next.AllocateMemory(device.handle, &info, nullptr, &memory);
    }
    return result;
}

}  // namespace

VkResult ConversionArguments::create(DeviceContext& device, Block& block, ArgumentSlot& first) {
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = (kBlockSlots + 1) * kSlotBytes;  // one more, since the first is aligned
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkResult result = device.next.CreateBuffer(device.handle, &info, nullptr, &block.buffer);
    if (result != VK_SUCCESS) return result;
    VkMemoryRequirements needs;
    device.next.GetBufferMemoryRequirements(device.handle, block.buffer, &needs);
    result = allocate(device, needs, kMapped | kNear, block.memory);
    if (result != VK_SUCCESS) result = allocate(device, needs, kMapped, block.memory);
    if (result != VK_SUCCESS) return result;
    result = device.next.BindBufferMemory(device.handle, block.buffer, block.memory, 0);
    if (result != VK_SUCCESS) return result;
    void* host = nullptr;
    result = device.next.MapMemory(device.handle, block.memory, 0, VK_WHOLE_SIZE, 0, &host);
    if (result != VK_SUCCESS) return result;
    const VkDeviceAddress address = addressOf(device, block.buffer);
    if (address == 0) return VK_ERROR_UNKNOWN;
    first.address = (address + kSlotBytes - 1) / kSlotBytes * kSlotBytes;
    first.host = static_cast<std::byte*>(host) + (first.address - address);
    return VK_SUCCESS;
}

void ConversionArguments::destroyBlock(DeviceContext& device, const Block& block) {
    if (block.buffer != VK_NULL_HANDLE) {
        device.next.DestroyBuffer(device.handle, block.buffer, nullptr);
    }
    if (block.memory != VK_NULL_HANDLE) {
        device.next.FreeMemory(device.handle, block.memory, nullptr);
    }
}

void ConversionArguments::destroy(DeviceContext& device) {
    for (const Block& block : blocks_) destroyBlock(device, block);
    blocks_.clear();
    free_.clear();
    held_.clear();
    holders_ = 0;
}

void ConversionArguments::addSlots(const Block& block, ArgumentSlot first) {
    const std::scoped_lock lock(mutex_);
    blocks_.reserve(blocks_.size() + 1);
    free_.reserve((blocks_.size() + 1) * kBlockSlots);
    blocks_.push_back(block);
    for (VkDeviceSize i = kBlockSlots; i-- > 0;) {
        free_.push_back({first.host + i * kSlotBytes, first.address + i * kSlotBytes});
    }
}

VkResult ConversionArguments::addBlock(DeviceContext& device) {
    Block block;
    OnExit undo([&] { destroyBlock(device, block); });
    ArgumentSlot first;
    const VkResult result = create(device, block, first);
    if (result != VK_SUCCESS) return result;
    addSlots(block, first);
    undo.dismiss();
    return VK_SUCCESS;
}

// False if no slot is free.
bool ConversionArguments::takeFree(VkCommandBuffer commands, VkCommandPool pool,
                                   ArgumentSlot& slot) {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return false;
    Holder& holder = held_[commands];
    holders_.store(held_.size(), std::memory_order_relaxed);
    holder.pool = pool;
    holder.slots.push_back(free_.back());
    free_.pop_back();
    slot = holder.slots.back();
    return true;
}

VkResult ConversionArguments::take(DeviceContext& device, VkCommandBuffer commands,
                                   VkCommandPool pool, ArgumentSlot& slot) {
    while (!takeFree(commands, pool, slot)) {
        const VkResult result = addBlock(device);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}

ConversionArguments::Holders::iterator ConversionArguments::drop(
    Holders::iterator holder) noexcept {
    const std::vector<ArgumentSlot>& slots = holder->second.slots;
    free_.insert(free_.end(), slots.begin(), slots.end());
    const auto after = held_.erase(holder);
    holders_.store(held_.size(), std::memory_order_relaxed);
    return after;
}

void ConversionArguments::release(VkCommandBuffer commands) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = held_.find(commands);
    if (found != held_.end()) drop(found);
}

void ConversionArguments::releasePool(VkCommandPool pool) noexcept {
    const std::scoped_lock lock(mutex_);
    for (auto holder = held_.begin(); holder != held_.end();) {
        holder = holder->second.pool == pool ? drop(holder) : std::next(holder);
    }
}

}  // namespace coopvk::layer
