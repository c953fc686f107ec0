// SPDX-License-Identifier: Apache-2.0
//
// Passes over a whole module that know no matrices or vectors.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// A rewritten module serves one pipeline stage. What it has for others is not lowered for this
// one's stage, and could not always be: leaves the one entry point of a name and a stage (of the
// stage alone, where the name is empty: the first), and the functions that it reaches. Error:
// kInvalidArgument, there is none.
std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage);

// Every function that a call from one reaches, itself included. Functions that a module-scope
// instruction names, other than names and entry points, count as reached.
std::unordered_set<Id> functionsReachedFrom(const Module& module, Id start);

// Gives each target of OpGroupDecorate and OpGroupMemberDecorate the group's decorations, so that
// no later pass has to know of groups. Error: kUnsupported, there would be far too many.
std::optional<Error> flattenDecorationGroups(Module& module);

// SPV_EXT_replicated_composites: composites of one value get as many constituents as their type
// has. Runs after specialisation and after the lowering of types that have replicated composites of
// their own.
std::optional<Error> expandReplicatedComposites(Module& module);

// For drivers that run the lanes of a subgroup in step (DeviceTraits::lanesInStep): turns
// OpControlBarrier with Execution scope Subgroup into the OpMemoryBarrier that is left of it, or
// nothing. Such a driver has the lanes together anyway, and loses what follows such a barrier if
// another subgroup of the workgroup does not come to it. Specialization constants must be frozen.
void removeSubgroupBarriers(Module& module);

// Adds the variables that lowering made to the interface of every entry point whose call tree uses
// them.
void completeInterfaces(Module& module);

}  // namespace coopvk::rewrite
