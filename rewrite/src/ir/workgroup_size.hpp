// SPDX-License-Identifier: Apache-2.0
//
// The size of a workgroup, and its numbers of invocations and subgroups.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Fails if specialization makes a size of LocalSizeId zero.
std::optional<Error> checkWorkgroupSizes(const Module& module);

// Workgroup size of a module with one entry point, by the WorkgroupSize built-in, LocalSizeId or
// LocalSize; zeros if it has none or it is not constant.
std::array<uint32_t, 3> localSize(const Module& module);

// Invocations of such a workgroup; 0 if its size is not known or over 65536.
uint32_t invocationsOf(const Module& module);

// Subgroups of such a workgroup, the last of which may be partial; 0 if its size is not known.
uint64_t subgroupsOf(const Module& module, uint32_t subgroupSize);

}  // namespace coopvk::rewrite
