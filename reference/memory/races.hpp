// SPDX-License-Identifier: Apache-2.0
//
// Data races: conflicting accesses of two invocations that nothing orders.
#pragma once

#include "memory/pointer.hpp"

namespace coopvk::reference {

// Accesses to buffers, of all workgroups of an execution.
class BufferHistory {};

// Of the workgroup that a thread executes.
class Races {
 public:
    Races(Workgroup&, BufferHistory&) {}
    void begin(Workgroup&) {}
    void meet(Workgroup&, const Instruction&) {}
    void release(Subgroup&, spv::Scope, uint32_t) {}
    void acquire(Subgroup&, spv::Scope, uint32_t) {}
    void atomic(Subgroup&, const Instruction&, uint32_t, const Pointer&) {}
    void meetLanes(Subgroup&) {}
    void note(Subgroup&, const Instruction&, uint32_t, const Pointer&, const std::byte*, uint64_t,
              bool, const Access&) {}
};

}  // namespace coopvk::reference
