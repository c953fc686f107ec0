// SPDX-License-Identifier: Apache-2.0
//
// Memory, buffers, and the addresses that shaders see.
#include "memory.hpp"

#include <cstring>

#include "dependencies/followed.hpp"
#include "images/image.hpp"

namespace coopvk::reference::icd {

// Of all that exist.
static std::atomic<VkDeviceSize> usedBytes = 0;
VkDeviceSize usedMemory() { return usedBytes; }

DeviceMemory::DeviceMemory(VkDeviceSize size) { usedBytes += range.size = size; }
DeviceMemory::~DeviceMemory() { usedBytes -= range.size; }

namespace {

std::byte* newBlock(DeviceMemory& memory, VkDeviceSize size) {
    memory.block = zeroed<std::byte>(size + kPage);
    void* begin = memory.block.get();
    size_t space = size + kPage;
    return begin == nullptr ? nullptr
                            : static_cast<std::byte*>(std::align(kPage, size, begin, space));
}

}  // namespace

VkResult AllocateMemory(Device& device, const VkMemoryAllocateInfo* info, Allocator,
                        VkDeviceMemory* out) {
    const VkDeviceSize size = info->allocationSize;
    require(info->memoryTypeIndex < std::size(kMemoryTypes), "there is no such type of memory");
    require(size != 0, "the size is 0");
    if (size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    auto memory = std::make_shared<DeviceMemory>(size);
    memory->isHostVisible = kMemoryTypes[info->memoryTypeIndex] & kCoherent;
    std::byte* data = nullptr;
    const VkResult found = findShared(*memory, *info, data);
    if (found != VK_SUCCESS) return found;
    const bool isNew = data == nullptr;
    if (isNew) data = newBlock(*memory, size);
    const bool checked = device.settings().checks & kCheckUnwritten;
    if (checked) memory->written = zeroed<uint8_t>(size);
    if (data == nullptr || (checked && memory->written == nullptr))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memory->range.data = data;
    memory->range.written = memory->written.get();
    if (memory->isImported) markWritten(memory->range);
    if (device.hostCopies && memory->isHostVisible && isNew) {
        memory->host = device.hostCopies->add(memory->range);
        if (memory->host == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const std::lock_guard lock(device.mutex);
    const bool isKnown = device.addresses.share(memory->range);
    if (!device.addresses.allocate(memory->range, memory)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (device.dependencies && !isKnown) device.dependencies->forget(memory->range);
    *out = give(memory, &device);
    closeImported(*info);
    return VK_SUCCESS;
}

// Buffers may outlive their memory.
void FreeMemory(Device& device, DeviceMemory* memory, Allocator) {
    if (memory == nullptr) return;
    const std::shared_ptr<const Object> last = memory->self.lock();
    reportHostReads(device);
    if (memory->host != nullptr) device.hostCopies->remove(memory->range);
    const std::lock_guard lock(device.mutex);
    device.addresses.free(memory->range);
    dropHostWrites(device, memory->range);
    removeHandle(*memory);
}

// What the host writes is not seen: all that it maps counts as written.
VkResult MapMemory(Device& device, DeviceMemory* memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags, void** data) {
    require(memory->isHostVisible, "the host does not see memory of this type");
    require(!memory->isMapped, "the memory is mapped already");
    const Range mapped = part(memory->range, offset, size);
    require(mapped.size != 0 && (size == VK_WHOLE_SIZE || mapped.size == size),
            "the range is not in the memory");
    markWritten(mapped);
    memory->isMapped = true;
    if (memory->host != nullptr) device.hostCopies->map(mapped);
    *data = memory->host != nullptr ? memory->host + offset : mapped.data;
    return VK_SUCCESS;
}

VkResult MapMemory2(Device& device, const VkMemoryMapInfo* info, void** data) {
    return MapMemory(device, &theObject(info->memory, device), info->offset, info->size,
                     info->flags, data);
}

void UnmapMemory(Device& device, DeviceMemory* memory) {
    require(memory->isMapped, "the memory is not mapped");
    memory->isMapped = false;
    if (memory->host != nullptr) device.hostCopies->unmap(memory->range);
}

VkResult UnmapMemory2(Device& device, const VkMemoryUnmapInfo* info) {
    UnmapMemory(device, &theObject(info->memory, device));
    return VK_SUCCESS;
}

static VkResult requireMapped(uint32_t count, const VkMappedMemoryRange* ranges) {
    for (const VkMappedMemoryRange& range : listOf(ranges, count))
        require(theObject(range.memory).isMapped, "the memory is not mapped");
    return VK_SUCCESS;
}

// All memory that the host sees is coherent.
VkResult FlushMappedMemoryRanges(Device&, uint32_t count, const VkMappedMemoryRange* ranges) {
    return requireMapped(count, ranges);
}
VkResult InvalidateMappedMemoryRanges(Device&, uint32_t count, const VkMappedMemoryRange* ranges) {
    return requireMapped(count, ranges);
}

VkBufferUsageFlags2 Buffer::usageOf(const VkBufferCreateInfo& info) {
    const auto* more = find<VkBufferUsageFlags2CreateInfo>(info.pNext);
    return more != nullptr ? more->usage : info.usage;
}

Buffer::~Buffer() {
    const std::lock_guard lock(device.mutex);
    device.addresses.unbind(range);
}

std::shared_ptr<const void> Buffer::hold() const {
    auto held = memory.lock();
    require(held != nullptr,
            range.data == nullptr ? "a buffer has no memory" : "the memory of a buffer was freed");
    return held;
}

void Buffer::requireRange(VkDeviceSize offset, VkDeviceSize bytes,
                          VkBufferUsageFlags2 needed) const {
    require((usage & needed) != 0, "the buffer's usage does not allow it");
    require(offset <= size && bytes <= size - offset, "it goes beyond the end of the buffer");
    (void)hold();
}

VkResult CreateBuffer(Device& device, const VkBufferCreateInfo* info, Allocator, VkBuffer* out) {
    require(info->size != 0, "the size is 0");
    require(
        (info->flags & (VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_PROTECTED_BIT)) == 0,
        "the device has no sparse and no protected buffers");
    if (info->size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    auto buffer = std::make_shared<Buffer>(device, *info);
    require(buffer->usage != 0, "the usage is 0");
    *out = give(buffer, &device);
    return VK_SUCCESS;
}
COOPVK_DESTROY(Buffer)

VkResult BindBufferMemory(Device& device, Buffer* buffer, DeviceMemory* memory,
                          VkDeviceSize offset) {
    const Range range = part(memory->range, offset, buffer->size);
    require(buffer->range.data == nullptr, "the buffer has memory already");
    require(range.size == buffer->size, "the buffer goes beyond the end of the memory");
    require(offset % kBufferAlignment == 0, "the offset is no multiple of the buffer's alignment");
    buffer->range = range;
    buffer->memory = memory->self;
    // Decode functions of cooperative matrices take addresses of any buffer.
    const std::lock_guard lock(device.mutex);
    device.addresses.bind(range);
    return VK_SUCCESS;
}

VkResult BindImageMemory(Device&, Image* image, DeviceMemory* memory, VkDeviceSize offset) {
    const Range range = part(memory->range, offset, image->size);
    require(image->range.data == nullptr, "the image has memory already");
    require(range.size == image->size, "the image goes beyond the end of the memory");
    require(offset % kImageAlignment == 0, "the offset is no multiple of the image's alignment");
    image->bind(range, memory->self);
    return VK_SUCCESS;
}

template <typename Info, typename Bind>
static VkResult bindAll(std::span<const Info> infos, const Bind& bind) {
    for (const Info& info : infos) {
        const auto* status = find<VkBindMemoryStatus>(info.pNext);
        require(status == nullptr || status->pResult != nullptr,
                "there is no place for the result");
        if (status != nullptr) *status->pResult = VK_ERROR_VALIDATION_FAILED_EXT;
        bind(info);
        if (status != nullptr) *status->pResult = VK_SUCCESS;
    }
    return VK_SUCCESS;
}

VkResult BindBufferMemory2(Device& device, uint32_t count, const VkBindBufferMemoryInfo* infos) {
    return bindAll(listOf(infos, count), [&](const VkBindBufferMemoryInfo& info) {
        BindBufferMemory(device, &theObject(info.buffer, device), &theObject(info.memory, device),
                         info.memoryOffset);
    });
}

VkResult BindImageMemory2(Device& device, uint32_t count, const VkBindImageMemoryInfo* infos) {
    return bindAll(listOf(infos, count), [&](const VkBindImageMemoryInfo& info) {
        BindImageMemory(device, &theObject(info.image, device), &theObject(info.memory, device),
                        info.memoryOffset);
    });
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
    require(info->pCreateInfo != nullptr, "there is no buffer to ask for");
    setRequirements(info->pCreateInfo->size, out);
}

void GetBufferMemoryRequirements2(Device& device, const VkBufferMemoryRequirementsInfo2* info,
                                  VkMemoryRequirements2* out) {
    setRequirements(theObject(info->buffer, device).size, out);
}

void GetBufferMemoryRequirements(Device&, Buffer* buffer, VkMemoryRequirements* out) {
    VkMemoryRequirements2 all{};
    setRequirements(buffer->size, &all);
    *out = all.memoryRequirements;
}

VkDeviceAddress GetBufferDeviceAddress(Device& device, const VkBufferDeviceAddressInfo* info) {
    const Buffer& buffer = theObject(info->buffer, device);
    buffer.requireRange(0, 0, VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT);
    return buffer.range.address;
}

}  // namespace coopvk::reference::icd
