// SPDX-License-Identifier: Apache-2.0
//
// The pass that turns SPV_INTEL_2d_block_io into core SPIR-V.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success no block instruction is left; prefetches are
// dropped, and so are cache controls.
std::optional<Error> lowerBlockIo(LoweringContext& context);

// Makes PhysicalStorageBuffer pointers of a module's CrossWorkgroup pointers, which Vulkan does not
// know; their memory gets the layout that OpenCL gives it where it says none. The first step of
// lowerBlockIo.
void adoptCrossWorkgroupPointers(LoweringContext& context);

// Takes out untyped pointers, and variables, that only block instructions used: the driver need not
// know such pointers then.
void dropUnusedUntypedPointers(Module& module);

}  // namespace coopvk::rewrite
