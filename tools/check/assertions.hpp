// SPDX-License-Identifier: Apache-2.0
//
// What a module says of itself, and no execution on the reference device finds out.
#pragma once

#include <string>

#include "module.hpp"

namespace coopvk::check {

// A promise of the rewritten module that no specification lets a device check, unless it is the
// original word by word: bounds of iterations, functions without effects, values that are the same
// in all invocations of a scope. In words; empty: there is none.
std::string newPromise(const Module& original, const Module& rewritten);

}  // namespace coopvk::check
