// SPDX-License-Identifier: Apache-2.0
//
// How many invocations a workgroup has.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// What is wrong with the workgroup sizes that specialization constants make up: none may be zero.
std::optional<Error> checkWorkgroupSizes(const Module& module);

// Workgroup size of a module of one entry point by the WorkgroupSize built-in, LocalSizeId or
// LocalSize; zeros where it has none or it is not constant.
std::array<uint32_t, 3> localSize(const Module& module);

// Invocations of such a workgroup; 0 where its size is not known or absurd.
uint32_t invocationsOf(const Module& module);

// Subgroups of such a workgroup, all full but the last one; 0 where its size is not known.
uint64_t subgroupsOf(const Module& module, uint32_t subgroupSize);

}  // namespace coopvk::rewrite
