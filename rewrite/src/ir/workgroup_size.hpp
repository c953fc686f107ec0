// SPDX-License-Identifier: Apache-2.0
//
// The size of a workgroup, and its numbers of invocations and subgroups.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

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

}  // namespace coopvk::rewrite
