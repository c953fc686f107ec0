// SPDX-License-Identifier: Apache-2.0
//
// What lowering takes from the workgroup: built-ins, shared memory, barriers.
#pragma once

#include <string_view>

#include "ir/emitter.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// Input variables for the built-ins that lowering reads.

// The variable for the built-in in the interface of the entry point, or a new one of the scalar
// `type`. An interface may have only one, and the module may have others that are not in it.
Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name);

// Loads its value as the scalar `type`. `isVolatile`: it may change while the shader executes.
Id readBuiltIn(Emitter& emit, spv::BuiltIn builtIn, Id type, std::string_view name,
               bool isVolatile = false);

// Load SubgroupLocalInvocationId, SubgroupId and LocalInvocationIndex as u32.
Id readLane(Emitter& emit);
Id readSubgroup(Emitter& emit);
Id readInvocation(Emitter& emit);

// Shared memory: variables of storage class Workgroup.

// Whether a module with one entry point may declare variables of `bytes` more bytes. False if its
// variables have an explicit layout (hasSharedBlocks()).
bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceFeatures& device);

// A control barrier that orders accesses to shared memory. These must have nonPrivateAccess().
void sharedBarrier(Emitter& emit, spv::Scope scope);

}  // namespace coopvk::rewrite
