// SPDX-License-Identifier: Apache-2.0
#include "sync_masks.hpp"

namespace coopvk::layer {
namespace {

constexpr VkPipelineStageFlags2 kConversion =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

// Other stages to which transfer accesses belong.
constexpr VkPipelineStageFlags2 kTransferStages =
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
    VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
    VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
    VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR |
    VK_PIPELINE_STAGE_2_MICROMAP_BUILD_BIT_EXT;

constexpr VkAccessFlags2 kTransferAccesses =
    VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;

}  // namespace

SyncScope withoutConversions(SyncScope scope) {
    const bool named = (scope.stages & kConversion) != 0;
    // "All commands" contains the conversions, whose accesses are then meant, too.
    if (!named && (scope.stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) == 0) return scope;
    if (scope.accesses & VK_ACCESS_2_TRANSFER_READ_BIT) {
        scope.accesses |= VK_ACCESS_2_SHADER_READ_BIT;
    }
    if (scope.accesses & VK_ACCESS_2_TRANSFER_WRITE_BIT) {
        scope.accesses |= VK_ACCESS_2_SHADER_WRITE_BIT;
    }
    if (!named) return scope;
    scope.stages = (scope.stages & ~kConversion) | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    if ((scope.stages & kTransferStages) == 0) scope.accesses &= ~kTransferAccesses;
    return scope;
}

const VkDependencyInfo* withoutConversions(const VkDependencyInfo* info, Scratch& scratch) {
    const auto* memory =
        withoutConversions(std::span(info->pMemoryBarriers, info->memoryBarrierCount), scratch);
    const auto* buffers = withoutConversions(
        std::span(info->pBufferMemoryBarriers, info->bufferMemoryBarrierCount), scratch);
    const auto* images = withoutConversions(
        std::span(info->pImageMemoryBarriers, info->imageMemoryBarrierCount), scratch);
    if (memory == info->pMemoryBarriers && buffers == info->pBufferMemoryBarriers &&
        images == info->pImageMemoryBarriers) {
        return info;
    }
    VkDependencyInfo copy = *info;
    copy.pMemoryBarriers = memory;
    copy.pBufferMemoryBarriers = buffers;
    copy.pImageMemoryBarriers = images;
    return scratch.copy(copy);
}

}  // namespace coopvk::layer
