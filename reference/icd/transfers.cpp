// SPDX-License-Identifier: Apache-2.0
//
// Copies, fills and updates of buffers, and conversions of the matrices of cooperative vectors,
// which the host can do, too.
#include <cstring>
#include <optional>

#include "command_buffer.hpp"
#include "commands.hpp"
#include "matrices/vectors.hpp"

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

template <typename Region>
void copyRegions(VkCommandBuffer handle, VkBuffer source, VkBuffer target,
                 std::span<const Region> regions) {
    for (const Region& region : regions) {
        const auto copyOne = [=](Execution&) {
            copy(part(from<Buffer>(source)->range, region.srcOffset, region.size),
                 part(from<Buffer>(target)->range, region.dstOffset, region.size));
        };
        record(handle, copyOne, source, target);
    }
}

using Info = VkConvertCooperativeVectorMatrixInfoNV;

struct Matrices {
    matrices::VectorMatrix from, to;
};

std::optional<Matrices> matricesOf(const Info& info) {
    const auto matrix = [&](VkComponentTypeKHR type, VkCooperativeVectorMatrixLayoutNV layout,
                            size_t stride) {
        return matrices::vectorMatrix(static_cast<uint32_t>(type), static_cast<uint32_t>(layout),
                                      info.numRows, info.numColumns, stride);
    };
    const auto from = matrix(info.srcComponentType, info.srcLayout, info.srcStride);
    const auto to = matrix(info.dstComponentType, info.dstLayout, info.dstStride);
    if (!from || !to) return std::nullopt;
    return Matrices{*from, *to};
}

// With the gap behind the last line. Optimal layouts must start at multiples of 64 bytes: so that
// one can follow another.
size_t wholeSize(const matrices::VectorMatrix& matrix) {
    if (matrix.layout == matrices::VectorLayout::rowMajor) return matrix.rows * matrix.stride;
    if (matrix.layout == matrices::VectorLayout::columnMajor) return matrix.columns * matrix.stride;
    return (matrix.size() + 63) / 64 * 64;
}

// What a destination must have: optimal layouts in whole, of the others the last element.
size_t neededSize(const matrices::VectorMatrix& matrix) {
    const bool isLinear = matrix.layout == matrices::VectorLayout::rowMajor ||
                          matrix.layout == matrices::VectorLayout::columnMajor;
    return isLinear ? matrix.size() : wholeSize(matrix);
}

bool convert(const Matrices& both, const std::byte* source, std::byte* target) {
    return matrices::convertMatrix(both.from, {source, both.from.size()}, both.to,
                                   {target, both.to.size()});
}

// The memory at an address, to the end of its buffer.
Range at(const Addresses& addresses, VkDeviceAddress address) {
    const Range* buffer = addresses.buffer(address);
    return buffer == nullptr ? Range{} : part(*buffer, address - buffer->address, VK_WHOLE_SIZE);
}

}  // namespace

void CmdCopyBuffer(VkCommandBuffer handle, VkBuffer source, VkBuffer target, uint32_t count,
                   const VkBufferCopy* regions) {
    copyRegions<VkBufferCopy>(handle, source, target, {regions, count});
}

void CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2* info) {
    copyRegions<VkBufferCopy2>(handle, info->srcBuffer, info->dstBuffer,
                               {info->pRegions, info->regionCount});
}

void execution::CmdFillBuffer(Execution&, VkBuffer target, VkDeviceSize offset, VkDeviceSize size,
                              uint32_t data) {
    Range range = part(from<Buffer>(target)->range, offset, size);
    // VK_WHOLE_SIZE rounds down to a multiple of four.
    range.size = range.size / sizeof(data) * sizeof(data);
    for (uint64_t i = 0; i < range.size; i += sizeof(data))
        std::memcpy(range.data + i, &data, sizeof(data));
    markWritten(range);
}

void CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer target, VkDeviceSize offset,
                     VkDeviceSize size, const void* data) {
    const auto* begin = static_cast<const std::byte*>(data);
    const auto update = [target, offset, bytes = std::vector(begin, begin + size)](Execution&) {
        const Range range = part(from<Buffer>(target)->range, offset, bytes.size());
        if (range.size != 0) std::memcpy(range.data, bytes.data(), range.size);
        markWritten(range);
    };
    record(handle, update, target);
}

// If the target is too small, nothing is written.
VkResult ConvertCooperativeVectorMatrixNV(VkDevice, const Info* info) {
    const std::optional<Matrices> both = matricesOf(*info);
    if (!both) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (info->dstData.hostAddress == nullptr) {
        *info->pDstSize = wholeSize(both->to);
        return VK_SUCCESS;
    }
    if (*info->pDstSize < neededSize(both->to) || info->srcSize < both->from.size()) {
        *info->pDstSize = 0;
        return VK_INCOMPLETE;
    }
    *info->pDstSize = both->to.size();
    const bool done = convert(*both, static_cast<const std::byte*>(info->srcData.hostAddress),
                              static_cast<std::byte*>(info->dstData.hostAddress));
    return done ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

void CmdConvertCooperativeVectorMatrixNV(VkCommandBuffer handle, uint32_t count,
                                         const Info* infos) {
    for (const Info& info : std::span(infos, count)) {
        const std::optional<Matrices> both = matricesOf(info);
        if (!both) {
            from<CommandBuffer>(handle)->result = VK_ERROR_FEATURE_NOT_PRESENT;
            return;
        }
        record(handle, [both = *both, info, most = *info.pDstSize](Execution& execution) {
            const Addresses addresses = execution.device.addressesNow();
            const Range source = at(addresses, info.srcData.deviceAddress);
            const Range target = at(addresses, info.dstData.deviceAddress);
            const bool fits = both.from.size() <= std::min<size_t>(source.size, info.srcSize) &&
                              neededSize(both.to) <= std::min<size_t>(target.size, most);
            if (fits && convert(both, source.data, target.data))
                markWritten(part(target, 0, both.to.size()));
        });
    }
}

}  // namespace coopvk::reference::icd
