// SPDX-License-Identifier: Apache-2.0
//
// What lowering takes from the workgroup: built-ins, shared memory, barriers.
#pragma once

#include <string_view>

#include "ir/emitter.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// Load built-ins as u32: SubgroupLocalInvocationId, SubgroupId, SubgroupSize, LocalInvocationIndex.
Id readLane(Emitter& emit);
Id readSubgroup(Emitter& emit);
Id readSubgroupSize(Emitter& emit);
Id readInvocation(Emitter& emit);
// HelperInvocation, a boolean, as it is now: invocations of fragment shaders may become helpers.
Id readIsHelper(Emitter& emit);

// Shared memory: variables of storage class Workgroup.

// Whether a module with one entry point may declare variables of `bytes` more bytes. False if its
// variables have an explicit layout (hasSharedBlocks()).
bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceFeatures& device);

// A control barrier that orders accesses to shared memory. These must have nonPrivateAccess().
void sharedBarrier(Emitter& emit, spv::Scope scope);

}  // namespace coopvk::rewrite
