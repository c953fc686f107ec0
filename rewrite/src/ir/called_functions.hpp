// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// A function and all functions that its calls reach. Functions that a global names count as
// reached.
std::unordered_set<Id> functionsReachedFrom(const Module& module, Id start);

}  // namespace coopvk::rewrite
