// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <cstring>

#include "commands.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr size_t kPage = 4096;
constexpr uint64_t kGap = uint64_t{1} << 20;

template <typename T>
Zeroed<T> zeroed(size_t count) {
    return Zeroed<T>(static_cast<T*>(std::calloc(count, sizeof(T))));
}

VkResult allocate(Device& device, VkDeviceSize size, Memory& memory) {
    if (size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memory.block = zeroed<std::byte>(size + kPage);
    if (memory.block == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    void* begin = memory.block.get();
    size_t space = size + kPage;
    memory.range.data = static_cast<std::byte*>(std::align(kPage, size, begin, space));
    memory.range.size = size;
    memory.range.address = device.addresses.reserve(size);
    if (device.settings().checks & kCheckUnwritten) {
        memory.written = zeroed<uint8_t>(size);
        if (memory.written == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        memory.range.written = memory.written.get();
    }
    return VK_SUCCESS;
}

}  // namespace

Range part(const Range& range, uint64_t offset, uint64_t size) {
    if (range.data == nullptr || offset > range.size) return {};
    Range result = range;
    result.data += offset;
    result.address += offset;
    result.size = std::min(size, range.size - offset);
    if (result.written != nullptr) result.written += offset;
    return result;
}

void markWritten(const Range& range) {
    if (range.written != nullptr) std::memset(range.written, 1, range.size);
}

uint64_t AddressSpace::reserve(uint64_t size) {
    const std::lock_guard lock(mutex_);
    const uint64_t address = next_;
    next_ += (size + 2 * kGap - 1) / kGap * kGap;
    return address;
}

void AddressSpace::add(const Range& buffer) {
    const std::lock_guard lock(mutex_);
    auto changed = std::make_shared<std::vector<Range>>(*buffers_);
    const auto place = std::upper_bound(
        changed->begin(), changed->end(), buffer.address,
        [](uint64_t address, const Range& other) { return address < other.address; });
    changed->insert(place, buffer);
    buffers_ = std::move(changed);
}

void AddressSpace::remove(const Range& buffer) {
    const std::lock_guard lock(mutex_);
    auto changed = std::make_shared<std::vector<Range>>(*buffers_);
    const auto same = [&](const Range& other) {
        return other.address == buffer.address && other.size == buffer.size;
    };
    const auto found = std::find_if(changed->begin(), changed->end(), same);
    if (found != changed->end()) changed->erase(found);
    buffers_ = std::move(changed);
}

void AddressSpace::removeWithin(const Range& memory) {
    const std::lock_guard lock(mutex_);
    auto changed = std::make_shared<std::vector<Range>>(*buffers_);
    std::erase_if(*changed, [&](const Range& buffer) {
        return buffer.address - memory.address < memory.size;
    });
    buffers_ = std::move(changed);
}

std::shared_ptr<const std::vector<Range>> AddressSpace::buffers() const {
    const std::lock_guard lock(mutex_);
    return buffers_;
}

VkResult AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info,
                        const VkAllocationCallbacks*, VkDeviceMemory* out) {
    auto memory = std::make_unique<Memory>();
    const VkResult result = allocate(*from<Device>(handle), info->allocationSize, *memory);
    if (result == VK_SUCCESS) *out = handleOf(memory.release());
    return result;
}

// Buffers may outlive their memory.
void FreeMemory(VkDevice device, VkDeviceMemory handle, const VkAllocationCallbacks* allocator) {
    const Memory* memory = from<Memory>(handle);
    if (memory != nullptr) from<Device>(device)->addresses.removeWithin(memory->range);
    destroy<Memory>(device, handle, allocator);
}

// What the host writes is not seen: all that it maps counts as written.
VkResult MapMemory(VkDevice, VkDeviceMemory handle, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags, void** data) {
    const Range mapped = part(from<Memory>(handle)->range, offset, size);
    if (mapped.data == nullptr) return VK_ERROR_MEMORY_MAP_FAILED;
    markWritten(mapped);
    *data = mapped.data;
    return VK_SUCCESS;
}

VkResult MapMemory2(VkDevice device, const VkMemoryMapInfo* info, void** data) {
    return MapMemory(device, info->memory, info->offset, info->size, info->flags, data);
}

void UnmapMemory(VkDevice, VkDeviceMemory) {}
VkResult UnmapMemory2(VkDevice, const VkMemoryUnmapInfo*) { return VK_SUCCESS; }

VkResult FlushMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
    return VK_SUCCESS;
}
VkResult InvalidateMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
    return VK_SUCCESS;
}

void GetDeviceMemoryCommitment(VkDevice, VkDeviceMemory handle, VkDeviceSize* bytes) {
    *bytes = from<Memory>(handle)->range.size;
}

uint64_t GetDeviceMemoryOpaqueCaptureAddress(VkDevice,
                                             const VkDeviceMemoryOpaqueCaptureAddressInfo*) {
    return 0;
}

}  // namespace coopvk::reference::icd
