// SPDX-License-Identifier: Apache-2.0
//
// Brings loads by tensor addresses together, so that they can share one branch: behind a branch, a
// GPU waits for what was loaded in it, and would begin the next load only then.
#pragma once

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Moves loads of a block down to the next one where nothing between needs what they load; behind
// both comes what stores it into variables of the function. Returns the loads that another of
// their group follows directly.
std::set<Id> gatherTensorLoads(Module& module);

}  // namespace coopvk::rewrite
