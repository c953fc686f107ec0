// SPDX-License-Identifier: Apache-2.0
//
// What a module says of itself, and no execution on the reference device finds out.
#pragma once

#include <string>

#include "module.hpp"

namespace coopvk::check {

// A promise of the rewritten module that no specification lets a device check, and that not each
// loop or function of the original makes: bounds of iterations, functions without effects, values
// that are the same in all invocations of a scope. In words; empty: there is none.
std::string newPromise(const Module& original, const Module& rewritten);

// Whether invocations know both their numbers in the workgroup and their lanes. Vulkan does not say
// which invocation is which lane.
bool knowsLanes(const Module& module);

// Whether a module names elements of matrices by their numbers in a lane, or asks how many a lane
// holds. SPV_KHR_cooperative_matrix leaves both to the device.
bool knowsLayout(const Module& module);

// Whether two bindings are declared to be perhaps the same memory.
bool mayShareMemory(const Module& module);

// Whether variables or pointers are declared to be the only ones to their memory, or not to be.
bool hasPointersApart(const Module& module);

// Whether an access says that memory is Volatile.
bool hasVolatileAccess(const Module& module);

}  // namespace coopvk::check
