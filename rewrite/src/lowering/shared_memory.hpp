// SPDX-License-Identifier: Apache-2.0
//
// Shared memory: variables of storage class Workgroup.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// Whether a module with one entry point may declare variables of `bytes` more bytes. False if its
// variables have an explicit layout: then all variables alias each other
// (SPV_KHR_workgroup_memory_explicit_layout).
bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceTraits& device);

// A control barrier that orders accesses to shared memory. These must have nonPrivateAccess().
void sharedBarrier(Emitter& emit, spv::Scope scope);

}  // namespace coopvk::rewrite
