// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Whether calls of a function only give a result: they store to no variable that outlives the call,
// and execute no atomic instruction, barrier, volatile access or the like.
bool hasNoSideEffects(const Module& module, Id function);

}  // namespace coopvk::rewrite
