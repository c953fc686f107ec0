// SPDX-License-Identifier: Apache-2.0
//
// What accesses need so that invocations see each other's values, by the module's memory model. In
// the Vulkan memory model accesses are private by default, and need availability and visibility
// operations. GLSL450 has neither, and its modules must not name them.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

bool hasVulkanMemoryModel(const Module& module);

// Memory Operands of loads and stores of memory that invocations share.
Operands nonPrivateAccess(const Module& module);

// Memory Semantics for `order` (Acquire, Release or AcquireRelease) of Workgroup memory.
uint32_t sharedSemantics(const Module& module, spv::MemorySemanticsMask order);

// The widest scope that atomics of the module may have.
spv::Scope widestScope(const Module& module);

}  // namespace coopvk::rewrite
