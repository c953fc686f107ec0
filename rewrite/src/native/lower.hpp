// SPDX-License-Identifier: Apache-2.0
//
// The native back-end: uses the driver's VK_KHR_cooperative_matrix. Matrices become arrays of tiles
// if the driver lacks their shape. Instructions of other extensions become accesses to shared
// memory.
#pragma once

#include "native/plan.hpp"

namespace coopvk::rewrite {

// `subgroups`: the most that a workgroup may have.
std::optional<Error> lowerToNative(TypeTable& types, const Target& target, NativePlan plan,
                                   uint32_t subgroups);

}  // namespace coopvk::rewrite
