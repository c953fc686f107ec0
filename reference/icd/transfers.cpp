// SPDX-License-Identifier: Apache-2.0
//
// Copies, fills and updates of buffers.
#include <cstring>

#include "dependencies/followed.hpp"

namespace coopvk::reference::icd {

void copyRange(Execution& execution, const Range& from, const Range& to, Use reads, Use writes) {
    if (from.size != to.size || to.size == 0) return;
    std::vector<std::byte> stale;
    const std::byte* bytes = followedBytes(execution, reads, from, stale);
    followWrite(execution, writes, to);
    std::memmove(to.data, bytes, to.size);
    if (to.written == nullptr) return;
    if (from.written == nullptr)
        markWritten(to);
    else
        std::memmove(to.written, from.written, to.size);
}

namespace {

template <typename Region>
void copyRegions(CommandBuffer& commands, Buffer* source, Buffer* target,
                 std::span<const Region> regions) {
    for (const Region& region : regions) {
        source->requireRange(region.srcOffset, region.size, VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT);
        target->requireRange(region.dstOffset, region.size, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
        const auto copyOne = [=](Execution& execution) {
            const auto heldSource = source->hold(), heldTarget = target->hold();
            beginAccesses(execution, Use::kCopyWrite);
            copyRange(execution, part(source->range, region.srcOffset, region.size),
                      part(target->range, region.dstOffset, region.size));
        };
        record(commands, copyOne, source, target);
    }
}

}  // namespace

void CmdCopyBuffer(CommandBuffer& commands, Buffer* source, Buffer* target, uint32_t count,
                   const VkBufferCopy* regions) {
    copyRegions<VkBufferCopy>(commands, source, target, {regions, count});
}

void CmdCopyBuffer2(CommandBuffer& commands, const VkCopyBufferInfo2* info) {
    copyRegions<VkBufferCopy2>(commands, &theObject(info->srcBuffer), &theObject(info->dstBuffer),
                               listOf(info->pRegions, info->regionCount));
}

void CmdFillBuffer(CommandBuffer& commands, Buffer* target, VkDeviceSize offset, VkDeviceSize size,
                   uint32_t data) {
    // VK_WHOLE_SIZE rounds down to a multiple of four.
    const VkDeviceSize rest = target->size - std::min(offset, target->size);
    const VkDeviceSize bytes = size == VK_WHOLE_SIZE ? rest / 4 * 4 : size;
    require(offset % 4 == 0 && bytes % 4 == 0, "offset or size is no multiple of 4");
    target->requireRange(offset, bytes, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
    const auto fill = [=](Execution& execution) {
        const auto held = target->hold();
        const Range range = part(target->range, offset, bytes);
        beginAccesses(execution, Use::kClearWrite);
        followWrite(execution, Use::kClearWrite, range);
        for (uint64_t i = 0; i < range.size; i += sizeof(data))
            std::memcpy(range.data + i, &data, sizeof(data));
        markWritten(range);
    };
    record(commands, fill, target);
}

void CmdUpdateBuffer(CommandBuffer& commands, Buffer* target, VkDeviceSize offset,
                     VkDeviceSize size, const void* data) {
    target->requireRange(offset, size, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
    const auto* begin = static_cast<const std::byte*>(data);
    const auto update = [target, offset,
                         bytes = std::vector(begin, begin + size)](Execution& execution) {
        const auto held = target->hold();
        const Range range = part(target->range, offset, bytes.size());
        beginAccesses(execution, Use::kClearWrite);
        followWrite(execution, Use::kClearWrite, range);
        if (range.size != 0) std::memcpy(range.data, bytes.data(), range.size);
        markWritten(range);
    };
    record(commands, update, target);
}

}  // namespace coopvk::reference::icd
