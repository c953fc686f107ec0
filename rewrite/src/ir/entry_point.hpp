// SPDX-License-Identifier: Apache-2.0
//
// The entry point of a module: its stage, its workgroups, and the memory model.
#pragma once

#include <optional>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite {

// The Vulkan stage of an execution model; nullopt if Vulkan has none for it.
std::optional<Stage> stageOf(spv::ExecutionModel model);

// The size of a workgroup, and its numbers of invocations and subgroups.

// Fails if a module with one entry point has workgroups, but no constant size of them, or if the
// size is zero or over 65536 invocations. The functions below rely on it. Specialization constants
// must be frozen.
std::optional<Error> checkWorkgroupSize(const Module& module);

// Workgroup size of a module with one entry point, by the WorkgroupSize built-in, LocalSizeId or
// LocalSize; zeros in stages without workgroups.
std::array<uint32_t, 3> localSize(const Module& module);

// Invocations of such a workgroup; 0 in stages without workgroups.
uint32_t invocationsOf(const Module& module);

// Subgroups of such a workgroup, the last of which may be partial; 0 in stages without workgroups.
uint32_t subgroupsOf(const Module& module, uint32_t subgroupSize);

// What accesses need so that invocations see each other's values, by the module's memory model. In
// the Vulkan memory model accesses are private by default, and need availability and visibility
// operations. GLSL450 has neither, and its modules must not name them.

// Memory Operands of loads and stores of memory that invocations share.
Operands nonPrivateAccess(const Module& module);

// Memory Semantics for `order` (Acquire, Release or AcquireRelease) of Workgroup memory.
uint32_t sharedSemantics(const Module& module, spv::MemorySemanticsMask order);

// Whether f16 arithmetic keeps denormals. If the device can and the module says nothing else, the
// module says so from now on; without that, devices may flush them.
bool preservesHalfDenormals(Module& module);

// The widest scope that atomics of the module may have.
spv::Scope widestScope(const Module& module);

}  // namespace coopvk::rewrite
