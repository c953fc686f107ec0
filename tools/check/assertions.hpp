// SPDX-License-Identifier: Apache-2.0
//
// What a module says of itself, and no execution on the reference device finds out.
#pragma once

#include <map>
#include <set>
#include <string>

#include "module.hpp"

namespace coopvk::check {

// Promises that the specifications do not let a device check: bounds of iterations, functions
// without effects. In words.
std::set<std::string> promisesOf(const Module& module);

// Whether invocations know both their numbers in the workgroup and their lanes. Vulkan does not say
// which invocation is which lane.
bool knowsLanes(const Module& module);

// Whether a module names elements of matrices by their numbers in a lane, or asks how many a lane
// holds. SPV_KHR_cooperative_matrix leaves both to the device.
bool knowsLayout(const Module& module);

// How the inputs of fragments are interpolated, by where they are. Not part of what lists have.
std::map<std::string, std::set<std::string>> interpolationsOf(const Module& module);
// In words, where those of the rewritten module are not the original's; else empty.
std::string otherInterpolation(const Module& original, const Module& rewritten);

// In words, an execution mode that only one of the two modules has, and that no execution finds
// out; else empty. The rewritten one may ask lanes to reconverge.
std::string otherMode(const Module& original, const Module& rewritten);

// Whether two bindings are declared to be perhaps the same memory.
bool mayShareMemory(const Module& module);
// Whether there are uniform buffers.
bool hasUniforms(const Module& module);

}  // namespace coopvk::check
