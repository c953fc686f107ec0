// SPDX-License-Identifier: Apache-2.0
//
// What calls of functions reach and do.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// A function and all functions that its calls reach. Functions that a global names count as
// reached.
std::unordered_set<Id> functionsReachedFrom(const Module& module, Id start);

// Whether calls of a function only give a result: they store to no variable that outlives the call,
// and execute no atomic instruction, barrier, volatile access or the like.
bool hasNoSideEffects(const Module& module, Id function);

}  // namespace coopvk::rewrite
