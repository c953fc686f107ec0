// SPDX-License-Identifier: Apache-2.0
//
// If VK_NV_cooperative_vector is emulated, matrix conversions are dispatches. So in every
// dependency the conversion stage is replaced by the compute stage, and the stage's transfer
// accesses by shader accesses.
#pragma once

#include <vulkan/vulkan.h>

#include <span>

#include "chain/scratch.hpp"

namespace coopvk::layer {

// One side of a dependency. This also holds the masks of the original commands, whose bits have the
// same values.
struct SyncScope {
    VkPipelineStageFlags2 stages = 0;
    VkAccessFlags2 accesses = 0;
    bool operator==(const SyncScope&) const = default;
};

struct SyncScopes {
    SyncScope from, to;
    bool operator==(const SyncScopes&) const = default;
};

constexpr VkPipelineStageFlags2 kConversionStage =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
constexpr VkAccessFlags2 kTransferAccesses =
    VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
// Other stages to which transfer accesses belong.
constexpr VkPipelineStageFlags2 kTransferStages =
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
    VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
    VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
    VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR |
    VK_PIPELINE_STAGE_2_MICROMAP_BUILD_BIT_EXT;

// Whether withoutConversions() may change a scope: the conversion stage, or "all commands", which
// includes it, with the accesses of conversions.
constexpr bool mayConvert(SyncScope scope) {
    if (scope.stages & kConversionStage) return true;
    return (scope.stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0 &&
           (scope.accesses & kTransferAccesses) != 0;
}

constexpr VkPipelineStageFlags2 withoutConversions(VkPipelineStageFlags2 stages) {
    if ((stages & kConversionStage) == 0) return stages;
    return (stages & ~kConversionStage) | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
}

constexpr SyncScope withoutConversions(SyncScope scope) {
    if (!mayConvert(scope)) return scope;
    constexpr int kToShaders = 6;  // from the bit of a transfer access to that of a shader access
    static_assert(VK_ACCESS_2_TRANSFER_READ_BIT >> kToShaders == VK_ACCESS_2_SHADER_READ_BIT &&
                  VK_ACCESS_2_TRANSFER_WRITE_BIT >> kToShaders == VK_ACCESS_2_SHADER_WRITE_BIT);
    scope.accesses |= (scope.accesses & kTransferAccesses) >> kToShaders;
    scope.stages = withoutConversions(scope.stages);
    if ((scope.stages & kTransferStages) == 0) scope.accesses &= ~kTransferAccesses;
    return scope;
}

inline SyncScopes withoutConversions(const SyncScopes& scopes) {
    return {withoutConversions(scopes.from), withoutConversions(scopes.to)};
}

// Barriers and dependencies that name stages and accesses themselves.
template <typename Barrier>
SyncScopes scopesOf(const Barrier& barrier) {
    return {{barrier.srcStageMask, barrier.srcAccessMask},
            {barrier.dstStageMask, barrier.dstAccessMask}};
}

template <typename Barrier>
void setAccesses(Barrier& barrier, const SyncScopes& scopes) {
    using Accesses = decltype(barrier.srcAccessMask);
    barrier.srcAccessMask = static_cast<Accesses>(scopes.from.accesses);
    barrier.dstAccessMask = static_cast<Accesses>(scopes.to.accesses);
}

template <typename Barrier>
void setScopes(Barrier& barrier, const SyncScopes& scopes) {
    using Stages = decltype(barrier.srcStageMask);
    barrier.srcStageMask = static_cast<Stages>(scopes.from.stages);
    barrier.dstStageMask = static_cast<Stages>(scopes.to.stages);
    setAccesses(barrier, scopes);
}

// Everything that barriers name, as the scope of one.
template <typename Barrier>
void addScopes(SyncScope& all, const Barrier* barriers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        all.stages |= barriers[i].srcStageMask | barriers[i].dstStageMask;
        all.accesses |= barriers[i].srcAccessMask | barriers[i].dstAccessMask;
    }
}

// Conversions access no images: barriers of these change only if they name the stage.
inline void addScopes(SyncScope& all, const VkImageMemoryBarrier2* barriers, uint32_t count) {
    VkPipelineStageFlags2 stages = 0;
    for (uint32_t i = 0; i < count; ++i) {
        stages |= barriers[i].srcStageMask | barriers[i].dstStageMask;
    }
    all.stages |= stages & kConversionStage;
}

// False only if withoutConversions() changes nothing.
inline bool mayConvert(const VkDependencyInfo& info) {
    if (info.pNext != nullptr) return true;
    SyncScope all;
    addScopes(all, info.pMemoryBarriers, info.memoryBarrierCount);
    addScopes(all, info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount);
    addScopes(all, info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
    return mayConvert(all);
}

// An array with every barrier's scopes translated; the array itself if no barrier may change.
template <typename Barrier>
const Barrier* withoutConversions(std::span<const Barrier> barriers, Scratch& scratch) {
    SyncScope all;
    addScopes(all, barriers.data(), static_cast<uint32_t>(barriers.size()));
    if (!mayConvert(all)) return barriers.data();
    Barrier* copies = scratch.copyArray(barriers);
    for (Barrier& copy : std::span(copies, barriers.size())) {
        setScopes(copy, withoutConversions(scopesOf(copy)));
    }
    return copies;
}

// Returns `info` itself if nothing changes.
const VkDependencyInfo* withoutConversions(const VkDependencyInfo* info, Scratch& scratch);

}  // namespace coopvk::layer
