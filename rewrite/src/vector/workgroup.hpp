// SPDX-License-Identifier: Apache-2.0
//
// What the workgroup of the shader tells about its subgroups.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

inline uint64_t invocationsOfWorkgroup(const VectorContext& context) {
    const auto [x, y, z] = context.localSize;
    return uint64_t{x} * y * z;
}

inline bool isMeshStage(const VectorContext& context) {
    return context.stage == Stage::kTask || context.stage == Stage::kMesh;
}

// NVIDIA's driver 580 seems to take the last, partly filled subgroup of a task or mesh shader for a
// full one.
inline bool countsLanesRightly(const VectorContext& context) {
    return !isMeshStage(context) ||
           invocationsOfWorkgroup(context) % context.target.subgroupSize == 0;
}

}  // namespace coopvk::rewrite
