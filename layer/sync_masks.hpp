// SPDX-License-Identifier: Apache-2.0
//
// If VK_NV_cooperative_vector is emulated, matrix conversions are dispatches. So in every
// dependency the conversion stage is replaced by the compute stage, and the stage's transfer
// accesses by shader accesses.
#pragma once

#include <vulkan/vulkan.h>

#include <span>

#include "scratch.hpp"

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

SyncScope withoutConversions(SyncScope scope);

inline VkPipelineStageFlags2 withoutConversions(VkPipelineStageFlags2 stages) {
    return withoutConversions(SyncScope{stages, 0}).stages;
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

// An array with every barrier's scopes translated; the array itself if nothing changes.
// get(barrier) returns a barrier's scopes, set(barrier, scopes) replaces them.
template <typename Barrier, typename Get, typename Set>
const Barrier* translateBarriers(std::span<const Barrier> barriers, Scratch& scratch,
                                 const Get& get, const Set& set) {
    Barrier* copies = nullptr;
    for (size_t i = 0; i < barriers.size(); ++i) {
        const SyncScopes before = get(barriers[i]);
        const SyncScopes after = withoutConversions(before);
        if (after == before) continue;
        if (copies == nullptr) copies = scratch.copyArray(barriers);
        set(copies[i], after);
    }
    return copies != nullptr ? copies : barriers.data();
}

template <typename Barrier>
const Barrier* withoutConversions(std::span<const Barrier> barriers, Scratch& scratch) {
    return translateBarriers(barriers, scratch, scopesOf<Barrier>, setScopes<Barrier>);
}

// Returns `info` itself if nothing changes.
const VkDependencyInfo* withoutConversions(const VkDependencyInfo* info, Scratch& scratch);

}  // namespace coopvk::layer
