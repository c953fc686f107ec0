// SPDX-License-Identifier: Apache-2.0
//
// Matrices of cooperative vectors from one layout to another, on the host and on the queue.
#include "command_buffer.hpp"
#include "commands.hpp"
#include "guard.hpp"
#include "matrices/vector_matrix.hpp"

namespace coopvk::reference::icd {
namespace {

using Info = VkConvertCooperativeVectorMatrixInfoNV;

struct Matrices {
    matrices::VectorMatrix from, to;
};

std::optional<Matrices> matricesOf(const Info& info) {
    const auto from = matrices::vectorMatrix(static_cast<uint32_t>(info.srcComponentType),
                                             static_cast<uint32_t>(info.srcLayout), info.numRows,
                                             info.numColumns, info.srcStride);
    const auto to = matrices::vectorMatrix(static_cast<uint32_t>(info.dstComponentType),
                                           static_cast<uint32_t>(info.dstLayout), info.numRows,
                                           info.numColumns, info.dstStride);
    if (!from || !to) return std::nullopt;
    return Matrices{*from, *to};
}

// With the gap behind the last line.
size_t wholeSize(const matrices::VectorMatrix& matrix) {
    if (matrix.layout == matrices::VectorLayout::rowMajor) return matrix.rows * matrix.stride;
    if (matrix.layout == matrices::VectorLayout::columnMajor) return matrix.columns * matrix.stride;
    return matrix.size();
}

bool convert(const Matrices& both, const std::byte* source, std::byte* target) {
    return matrices::convertMatrix(both.from, {source, both.from.size()}, both.to,
                                   {target, both.to.size()});
}

// The memory at an address, to the end of its buffer.
Range at(const std::vector<Range>& buffers, VkDeviceAddress address) {
    for (const Range& buffer : buffers) {
        if (address - buffer.address < buffer.size)
            return part(buffer, address - buffer.address, VK_WHOLE_SIZE);
    }
    return {};
}

void convertOnQueue(Device& device, const Info& info, size_t targetSize) {
    const std::optional<Matrices> both = matricesOf(info);
    const auto buffers = device.addresses.buffers();
    const Range source = at(*buffers, info.srcData.deviceAddress);
    const Range target = at(*buffers, info.dstData.deviceAddress);
    const bool fits = both && both->from.size() <= std::min<size_t>(source.size, info.srcSize) &&
                      both->to.size() <= std::min<size_t>(target.size, targetSize);
    if (!fits || !convert(*both, source.data, target.data)) return;
    markWritten(part(target, 0, both->to.size()));
}

}  // namespace

// If the target is too small, nothing is written. It suffices if the last element fits.
VkResult ConvertCooperativeVectorMatrixNV(VkDevice, const Info* info) {
    const std::optional<Matrices> both = matricesOf(*info);
    if (!both) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (info->dstData.hostAddress == nullptr) {
        *info->pDstSize = wholeSize(both->to);
        return VK_SUCCESS;
    }
    if (*info->pDstSize < both->to.size() || info->srcSize < both->from.size()) {
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
        if (!matricesOf(info)) failRecording(handle);
        record(handle, [info, size = *info.pDstSize](Execution& execution) {
            convertOnQueue(execution.device, info, size);
        });
    }
}

}  // namespace coopvk::reference::icd
