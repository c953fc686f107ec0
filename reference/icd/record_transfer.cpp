// SPDX-License-Identifier: Apache-2.0
//
// Copies, fills and updates of buffers.
#include <cstring>

#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

// What is written is as much defined as what it is copied from.
void copy(const Range& from, const Range& to) {
    if (from.size != to.size || to.size == 0) return;
    std::memmove(to.data, from.data, to.size);
    if (to.written == nullptr) return;
    if (from.written == nullptr) {
        markWritten(to);
    } else {
        std::memmove(to.written, from.written, to.size);
    }
}

}  // namespace

void CmdCopyBuffer(VkCommandBuffer handle, VkBuffer source, VkBuffer target, uint32_t count,
                   const VkBufferCopy* regions) {
    std::vector<VkBufferCopy> copies(regions, regions + count);
    record(handle, [from = icd::from<Buffer>(source), to = icd::from<Buffer>(target),
                    copies = std::move(copies)](Execution&) {
        for (const VkBufferCopy& region : copies)
            copy(part(from->range, region.srcOffset, region.size),
                 part(to->range, region.dstOffset, region.size));
    });
}

void CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2* info) {
    std::vector<VkBufferCopy> copies;
    for (const VkBufferCopy2& region : std::span(info->pRegions, info->regionCount))
        copies.push_back({region.srcOffset, region.dstOffset, region.size});
    CmdCopyBuffer(handle, info->srcBuffer, info->dstBuffer, info->regionCount, copies.data());
}

void CmdFillBuffer(VkCommandBuffer handle, VkBuffer target, VkDeviceSize offset, VkDeviceSize size,
                   uint32_t data) {
    record(handle, [to = from<Buffer>(target), offset, size, data](Execution&) {
        const Range range = part(to->range, offset, size);
        // VK_WHOLE_SIZE rounds down to a multiple of four.
        const uint64_t whole = range.size / sizeof(data) * sizeof(data);
        for (uint64_t i = 0; i < whole; i += sizeof(data))
            std::memcpy(range.data + i, &data, sizeof(data));
        markWritten(part(range, 0, whole));
    });
}

void CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer target, VkDeviceSize offset,
                     VkDeviceSize size, const void* data) {
    const auto* begin = static_cast<const std::byte*>(data);
    record(handle, [to = from<Buffer>(target), offset,
                    bytes = std::vector(begin, begin + size)](Execution&) {
        const Range range = part(to->range, offset, bytes.size());
        if (range.size != 0) std::memcpy(range.data, bytes.data(), range.size);
        markWritten(range);
    });
}

}  // namespace coopvk::reference::icd
