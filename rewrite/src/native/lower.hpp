// SPDX-License-Identifier: Apache-2.0
//
// The native back-end: matrices stay matrices of the driver, in tiles where it lacks their shape;
// what the driver's extension does not know becomes accesses to shared memory.
#pragma once

#include "native/plan.hpp"

namespace coopvk::rewrite {

// `subgroups`: of a workgroup, at most.
std::optional<Error> lowerToNative(TypeTable& types, const Target& target, NativePlan plan,
                                   uint32_t subgroups);

}  // namespace coopvk::rewrite
