// SPDX-License-Identifier: Apache-2.0
//
// Moves loads by tensor addresses next to each other, so that they can share one branch. At the end
// of a branch, a GPU waits for the loads in it, so it would start the next load only then.
#pragma once

#include <set>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Moves each load of a block down to the next load, unless an instruction between them uses its
// result. Stores of the result to variables of the function move behind both. Returns the loads
// that another load of their group follows directly.
std::set<Id> gatherTensorLoads(Module& module);

}  // namespace coopvk::rewrite
