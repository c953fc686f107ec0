// SPDX-License-Identifier: Apache-2.0
//
// What invocations must say so that they see each other's values, by the module's memory model. The
// Vulkan memory model takes accesses for private unless they say otherwise, and asks for
// availability and visibility; GLSL450 knows neither, and its modules may not name them.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

bool hasVulkanMemoryModel(const Module& module);

// Memory Operands of loads and stores of what other invocations store or load.
Operands nonPrivateAccess(const Module& module);

// Memory Semantics for `order` (Acquire, Release or AcquireRelease) of shared memory.
uint32_t sharedSemantics(const Module& module, spv::MemorySemanticsMask order);

// The widest scope that atomics may have.
spv::Scope widestScope(const Module& module);

}  // namespace coopvk::rewrite
