// SPDX-License-Identifier: Apache-2.0
//
// If VK_NV_cooperative_vector is emulated, matrix conversions are dispatches. So in every
// dependency that names the conversion stage, that is replaced by the compute stage, and the
// stage's transfer accesses by shader accesses. Others stay as they are: "all commands" includes
// dispatches, and barriers around the dispatches bring their writes to transfer accesses and back
// (restore_state).
#pragma once

#include <vulkan/vulkan.h>

#include <span>

#include "chain/scratch.hpp"

namespace coopvk::layer {

// One side of a dependency.
struct SyncScope {
    VkPipelineStageFlags2 stages = 0;
    VkAccessFlags2 accesses = 0;
    bool operator==(const SyncScope&) const = default;
};

constexpr VkPipelineStageFlags2 kConversionStage =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
constexpr VkAccessFlags2 kTransferAccesses =
    VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
// Other stages to which VK_ACCESS_2_TRANSFER_READ_BIT and _WRITE_BIT belong (Vulkan, "Supported
// Access Types").
constexpr VkPipelineStageFlags2 kTransferReads =
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
    VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
    VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
    VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR |
    VK_PIPELINE_STAGE_2_MICROMAP_BUILD_BIT_EXT;
constexpr VkPipelineStageFlags2 kTransferWrites = kTransferReads | VK_PIPELINE_STAGE_2_CLEAR_BIT;

constexpr VkPipelineStageFlags2 withoutConversions(VkPipelineStageFlags2 stages) {
    if ((stages & kConversionStage) == 0) return stages;
    return (stages & ~kConversionStage) | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
}

constexpr SyncScope withoutConversions(SyncScope scope) {
    if ((scope.stages & kConversionStage) == 0) return scope;
    constexpr int kToShaders = 6;  // from the bit of a transfer access to that of a shader access
    static_assert(VK_ACCESS_2_TRANSFER_READ_BIT >> kToShaders == VK_ACCESS_2_SHADER_READ_BIT &&
                  VK_ACCESS_2_TRANSFER_WRITE_BIT >> kToShaders == VK_ACCESS_2_SHADER_WRITE_BIT);
    scope.accesses |= (scope.accesses & kTransferAccesses) >> kToShaders;
    scope.stages = withoutConversions(scope.stages);
    if ((scope.stages & kTransferReads) == 0) scope.accesses &= ~VK_ACCESS_2_TRANSFER_READ_BIT;
    if ((scope.stages & kTransferWrites) == 0) scope.accesses &= ~VK_ACCESS_2_TRANSFER_WRITE_BIT;
    return scope;
}

template <typename Barrier>
void translateScopes(Barrier& barrier) {
    const auto from = withoutConversions(SyncScope{barrier.srcStageMask, barrier.srcAccessMask});
    const auto to = withoutConversions(SyncScope{barrier.dstStageMask, barrier.dstAccessMask});
    barrier.srcStageMask = from.stages;
    barrier.srcAccessMask = from.accesses;
    barrier.dstStageMask = to.stages;
    barrier.dstAccessMask = to.accesses;
}

// Whether any of the barriers names the conversion stage.
template <typename Barrier>
bool nameConversions(const Barrier* barriers, uint32_t count) {
    VkPipelineStageFlags2 stages = 0;
    for (uint32_t i = 0; i < count; ++i) {
        stages |= barriers[i].srcStageMask | barriers[i].dstStageMask;
    }
    return (stages & kConversionStage) != 0;
}

// False only if withoutConversions() changes nothing.
inline bool mayConvert(const VkDependencyInfo& info) {
    return info.pNext != nullptr ||
           nameConversions(info.pMemoryBarriers, info.memoryBarrierCount) ||
           nameConversions(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount) ||
           nameConversions(info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
}

// An array with every barrier's scopes translated; the array itself if no barrier changes.
template <typename Barrier>
const Barrier* withoutConversions(std::span<const Barrier> barriers, Scratch& scratch) {
    if (!nameConversions(barriers.data(), static_cast<uint32_t>(barriers.size()))) {
        return barriers.data();
    }
    Barrier* copies = scratch.copyArray(barriers);
    for (Barrier& copy : std::span(copies, barriers.size())) translateScopes(copy);
    return copies;
}

// Returns `info` itself if nothing changes.
const VkDependencyInfo* withoutConversions(const VkDependencyInfo* info, Scratch& scratch);

}  // namespace coopvk::layer
