// SPDX-License-Identifier: Apache-2.0
//
// Loads by tensor addresses that differ in their arguments only call functions, one for each way to
// load. So code that loads in many places is shorter, and loads that follow each other still share
// one branch:
//
//   before:  if (both layouts allow it) { a, b = fast loads } else { a, b = other loads }
//   after:   if (both layouts allow it) { a = fast1(...); b = fast2(...) }
//            else { a = others1(...); b = others2(...) }
//
// Drivers inline the functions.
#pragma once

#include "ir/emitter.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Finds the loads that are alike. Runs before any is lowered.
void findSharedLoads(MatrixContext& context);

// Calls the function that loads in this way, with the arguments of `load`. Returns what it loads;
// nullopt: no other load is alike.
std::optional<Id> callSharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load,
                                 LoadWay way);

}  // namespace coopvk::rewrite
