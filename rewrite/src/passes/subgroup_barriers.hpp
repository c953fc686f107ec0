// SPDX-License-Identifier: Apache-2.0
//
// Barriers among the lanes of a subgroup, for drivers that run those in step.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Turns OpControlBarrier with Execution scope Subgroup into the OpMemoryBarrier that is left of it,
// or nothing: such a driver (DeviceTraits::lanesInStep) has the lanes together anyway, and loses
// what follows such a barrier if another subgroup of the workgroup does not come to it.
// Specialization constants must be frozen.
void removeSubgroupBarriers(Module& module);

}  // namespace coopvk::rewrite
