// SPDX-License-Identifier: Apache-2.0
#include "inputs/staging.hpp"

#include <bit>
#include <utility>

namespace coopvk::layer::inputs {
namespace {

// The best type of memory that the host can map: cached before others. Nothing if there is none.
std::optional<uint32_t> hostType(const Driver& driver, uint32_t allowed) {
    constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    for (const VkMemoryPropertyFlags wanted :
         {kVisible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kVisible}) {
        for (uint32_t bits = allowed; bits != 0; bits &= bits - 1) {
            const auto type = static_cast<uint32_t>(std::countr_zero(bits));
            if ((driver.memory.memoryTypes[type].propertyFlags & wanted) == wanted) return type;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Staging> Staging::make(const Driver& driver, VkDeviceSize size) {
    std::optional<Staging> staging(Staging{driver});
    if (!staging->create(size)) staging.reset();
    return staging;
}

Staging::Staging(Staging&& other) noexcept
    : driver_(other.driver_),
      buffer_(std::exchange(other.buffer_, VK_NULL_HANDLE)),
      memory_(std::exchange(other.memory_, VK_NULL_HANDLE)),
      bytes_(other.bytes_),
      size_(other.size_) {}

Staging::~Staging() {
    if (buffer_ != VK_NULL_HANDLE) driver_->next.DestroyBuffer(driver_->device, buffer_, nullptr);
    if (memory_ != VK_NULL_HANDLE) driver_->next.FreeMemory(driver_->device, memory_, nullptr);
}

bool Staging::create(VkDeviceSize size) {
    const VkuDeviceDispatchTable& next = driver_->next;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (next.CreateBuffer(driver_->device, &info, nullptr, &buffer_) != VK_SUCCESS) return false;
    VkMemoryRequirements needed = {};
    next.GetBufferMemoryRequirements(driver_->device, buffer_, &needed);
    const auto type = hostType(*driver_, needed.memoryTypeBits);
    if (!type) return false;
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.allocationSize = needed.size;
    allocation.memoryTypeIndex = *type;
    if (next.AllocateMemory(driver_->device, &allocation, nullptr, &memory_) != VK_SUCCESS)
        return false;
    if (next.BindBufferMemory(driver_->device, buffer_, memory_, 0) != VK_SUCCESS) return false;
    void* mapped = nullptr;
    if (next.MapMemory(driver_->device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
        return false;
    bytes_ = static_cast<const std::byte*>(mapped);
    size_ = size;
    return true;
}

void Staging::invalidate() const {
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE};
    range.memory = memory_;
    range.size = VK_WHOLE_SIZE;
    driver_->next.InvalidateMappedMemoryRanges(driver_->device, 1, &range);
}

}  // namespace coopvk::layer::inputs
