// SPDX-License-Identifier: Apache-2.0
//
// Memory, buffers, and the addresses that shaders see.
#include <cstdlib>
#include <cstring>

#include "device.hpp"

namespace coopvk::reference::icd {

struct Free {
    void operator()(void* block) const { std::free(block); }
};

template <typename T>
using Zeroed = std::unique_ptr<T[], Free>;  // of calloc: pages cost nothing until they are used

struct DeviceMemory : ObjectOf<VkDeviceMemory> {
    Zeroed<std::byte> block;
    Zeroed<uint8_t> written;  // a byte for each; null if nobody checks
    Range range;              // all of it
};

namespace {

constexpr size_t kPage = 4096;

template <typename T>
Zeroed<T> zeroed(size_t count) {
    return Zeroed<T>(static_cast<T*>(std::calloc(count, sizeof(T))));
}

bool isBefore(uint64_t address, const Range& range) { return address < range.address; }

void insert(std::vector<Range>& ranges, const Range& range) {
    ranges.insert(std::upper_bound(ranges.begin(), ranges.end(), range.address, isBefore), range);
}

// The last to begin of those that contain the address.
const Range* containing(const std::vector<Range>& ranges, uint64_t address) {
    auto range = std::upper_bound(ranges.begin(), ranges.end(), address, isBefore);
    while (range != ranges.begin()) {
        --range;
        if (address - range->address < range->size) return &*range;
    }
    return nullptr;
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

const Range* Addresses::buffer(uint64_t address) const { return containing(buffers_, address); }

bool Addresses::live(const Range& range) const {
    return containing(memories_, range.address) != nullptr;
}

bool Addresses::allocate(Range& memory) {
    constexpr uint64_t kGap = uint64_t{1} << 20;
    uint64_t left = kHeapSize;
    for (const Range& other : memories_) left -= other.size;
    if (memory.size > left) return false;
    memory.address = next_;
    next_ += (memory.size + 2 * kGap - 1) / kGap * kGap;
    insert(memories_, memory);
    return true;
}

void Addresses::free(const Range& memory) {
    std::erase_if(memories_, [&](const Range& other) { return other.address == memory.address; });
    std::erase_if(buffers_, [&](const Range& buffer) {
        return buffer.address - memory.address < memory.size;
    });
}

void Addresses::bind(const Range& buffer) { insert(buffers_, buffer); }

void Addresses::unbind(const Range& buffer) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const Range& other) {
        return other.address == buffer.address && other.size == buffer.size;
    });
    if (found != buffers_.end()) buffers_.erase(found);
}

VkResult AllocateMemory(Device& device, const VkMemoryAllocateInfo* info, Allocator,
                        VkDeviceMemory* out) {
    const VkDeviceSize size = info->allocationSize;
    if (size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    auto memory = std::make_unique<DeviceMemory>();
    memory->block = zeroed<std::byte>(size + kPage);
    const bool checked = device.settings().checks & kCheckUnwritten;
    if (checked) memory->written = zeroed<uint8_t>(size);
    if (memory->block == nullptr || (checked && memory->written == nullptr))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    void* begin = memory->block.get();
    size_t space = size + kPage;
    memory->range.data = static_cast<std::byte*>(std::align(kPage, size, begin, space));
    memory->range.size = size;
    memory->range.written = memory->written.get();
    const std::lock_guard lock(device.mutex);
    if (!device.addresses.allocate(memory->range)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *out = handleOf(memory.release());
    return VK_SUCCESS;
}

// Buffers may outlive their memory.
void FreeMemory(Device& device, DeviceMemory* memory, Allocator) {
    if (memory == nullptr) return;
    const std::lock_guard lock(device.mutex);
    device.addresses.free(memory->range);
    delete memory;
}

// What the host writes is not seen: all that it maps counts as written.
VkResult MapMemory(Device&, DeviceMemory* memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags, void** data) {
    const Range mapped = part(memory->range, offset, size);
    if (mapped.data == nullptr) return VK_ERROR_MEMORY_MAP_FAILED;
    markWritten(mapped);
    *data = mapped.data;
    return VK_SUCCESS;
}

VkResult MapMemory2(Device& device, const VkMemoryMapInfo* info, void** data) {
    return MapMemory(device, objectOf(info->memory), info->offset, info->size, info->flags, data);
}

Buffer::~Buffer() {
    const std::lock_guard lock(device.mutex);
    device.addresses.unbind(range);
}

VkResult CreateBuffer(Device& device, const VkBufferCreateInfo* info, Allocator, VkBuffer* out) {
    if (info->size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *out = handleOf(new Buffer(device, *info));
    return VK_SUCCESS;
}
COOPVK_DESTROY(Buffer)

VkResult BindBufferMemory(Device& device, Buffer* buffer, DeviceMemory* memory,
                          VkDeviceSize offset) {
    const Range range = part(memory->range, offset, buffer->size);
    if (range.size != buffer->size || buffer->range.data != nullptr)
        return device.refuse("a buffer is bound twice, or behind its memory's end");
    buffer->range = range;
    // Decode functions of cooperative matrices take addresses of any buffer.
    const std::lock_guard lock(device.mutex);
    device.addresses.bind(range);
    return VK_SUCCESS;
}

VkResult BindBufferMemory2(Device& device, uint32_t count, const VkBindBufferMemoryInfo* infos) {
    VkResult last = VK_SUCCESS;
    for (const VkBindBufferMemoryInfo& info : std::span(infos, count)) {
        const VkResult result = BindBufferMemory(device, objectOf(info.buffer),
                                                 objectOf(info.memory), info.memoryOffset);
        if (const auto* status = find<VkBindMemoryStatus>(info.pNext)) *status->pResult = result;
        if (result != VK_SUCCESS) last = result;
    }
    return last;
}

static void setRequirements(VkDeviceSize size, VkMemoryRequirements2* out) {
    constexpr uint32_t kAllTypes = (1u << std::size(kMemoryTypes)) - 1;
    const VkDeviceSize blocks = (size + kBufferAlignment - 1) / kBufferAlignment;
    out->memoryRequirements = {blocks * kBufferAlignment, kBufferAlignment, kAllTypes};
    if (auto* dedicated = find<VkMemoryDedicatedRequirements>(out->pNext))
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = VK_FALSE;
}

void GetDeviceBufferMemoryRequirements(Device&, const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* out) {
    setRequirements(info->pCreateInfo->size, out);
}

void GetBufferMemoryRequirements2(Device&, const VkBufferMemoryRequirementsInfo2* info,
                                  VkMemoryRequirements2* out) {
    setRequirements(objectOf(info->buffer)->size, out);
}

void GetBufferMemoryRequirements(Device&, Buffer* buffer, VkMemoryRequirements* out) {
    VkMemoryRequirements2 all{};
    setRequirements(buffer->size, &all);
    *out = all.memoryRequirements;
}

VkDeviceAddress GetBufferDeviceAddress(Device&, const VkBufferDeviceAddressInfo* info) {
    return objectOf(info->buffer)->range.address;
}

}  // namespace coopvk::reference::icd
