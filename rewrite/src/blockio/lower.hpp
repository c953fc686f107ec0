// SPDX-License-Identifier: Apache-2.0
//
// Lowers SPV_INTEL_2d_block_io to core SPIR-V.
#pragma once

#include "blockio/block_plan.hpp"
#include "blockio/private_memory.hpp"
#include "blockio/region.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. Also drops prefetches and cache controls.
std::optional<Error> lowerBlockIo(LoweringContext& context);

// The first step: CrossWorkgroup pointers become PhysicalStorageBuffer pointers. Memory without an
// explicit layout gets OpenCL's layout.
void lowerCrossWorkgroupPointers(LoweringContext& context);

// A block load or store: each invocation accesses its elements.
//
// No access is beyond the region or the block: there, loads read the region's first element and
// return zero, and stores do nothing. An access takes several neighbouring elements if the
// coordinate, the pitch and the region's width allow it. The shader tests that once for all blocks.

// Emits into the writer's current block.
void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, PrivateMemory& memory);

}  // namespace coopvk::rewrite
