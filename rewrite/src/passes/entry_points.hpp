// SPDX-License-Identifier: Apache-2.0
//
// What entry points say about themselves: interfaces and workgroup sizes.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Adds the variables that lowering made to the interface of every entry point whose call tree uses
// them.
void completeInterfaces(Module& module);

// What is wrong with the workgroup sizes that specialization constants make up: none may be zero.
std::optional<Error> checkWorkgroupSizes(const Module& module);

// Workgroup size of a module of one entry point by the WorkgroupSize built-in, LocalSizeId or
// LocalSize; zeros where it has none or it is not constant.
std::array<uint32_t, 3> localSize(const Module& module);

}  // namespace coopvk::rewrite
