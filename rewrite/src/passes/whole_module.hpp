// SPDX-License-Identifier: Apache-2.0
//
// Passes over a whole module that do not depend on matrices or vectors.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Keeps the entry point with a name and a stage (empty name: the first one of the stage) and the
// functions that it calls; removes all others, since code for other stages is not lowered and could
// not always be. Fails with kInvalidArgument if there is none.
std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage);

// Gives each target of OpGroupDecorate and OpGroupMemberDecorate the group's decorations, and
// removes the groups. Fails with kUnsupported if there are too many targets.
std::optional<Error> flattenDecorationGroups(Module& module);

// SPV_EXT_replicated_composites: gives composites of one value as many constituents as their type
// has. Runs after specialisation, and after the passes that lower replicated composites of their
// types.
std::optional<Error> expandReplicatedComposites(Module& module);

// Gives each loop whose header is its own continue target another one: a block that only branches
// back. Lowering may then put control flow into all blocks of the loop; the continue target stays
// one that no selection or loop merges at.
void separateContinueTargets(Module& module);
// Whether a loop is left for which separateContinueTargets() has work.
bool sharesContinueTarget(const Module& module);

// For DeviceTraits::lanesInStep: replaces each OpControlBarrier with Execution scope Subgroup by an
// OpMemoryBarrier, or by nothing if it orders no memory. Such a driver does not need these, and
// skips the code after one if another subgroup of the workgroup does not reach it. Specialization
// constants must be frozen.
void removeSubgroupBarriers(Module& module);

// Removes FPRoundingMode from all but conversions whose only uses are stores of 16-bit floats to
// memory that several invocations see (SPIR-V specification, "Validation Rules for Shader
// Capabilities"). The results of lowered conversions become parts of composites.
void dropMisplacedRoundingModes(Module& module);

// Drops untyped pointers and variables that only lowered instructions used, so that the driver need
// not support them.
void dropUnusedUntypedPointers(Module& module);

// Adds variables that lowering made to the interface of each entry point that uses them, also
// through calls.
void completeInterfaces(Module& module);

}  // namespace coopvk::rewrite
