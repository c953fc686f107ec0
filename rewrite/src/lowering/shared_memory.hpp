// SPDX-License-Identifier: Apache-2.0
//
// The memory that the invocations of a workgroup share.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// Whether a module of one entry point may declare variables of as many bytes more, next to its own
// ones. Never where those have an explicit layout: all variables share one memory then (Aliased, as
// SPV_KHR_workgroup_memory_explicit_layout says).
bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceTraits& device);

// Between writes and reads of other invocations in the scope, and behind those. The accesses are
// nonPrivateAccess().
void sharedBarrier(Emitter& emit, spv::Scope scope);

}  // namespace coopvk::rewrite
