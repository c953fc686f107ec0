// SPDX-License-Identifier: Apache-2.0
//
// A block load or store: each invocation accesses its elements.
//
// No access is beyond the region or the block: there, loads read the region's first element and
// return zero, and stores do nothing. An access takes several neighbouring elements if the
// coordinate, the pitch and the region's width allow it. The shader tests that once for all blocks.
#pragma once

#include "blockio/block_positions.hpp"
#include "blockio/private_memory.hpp"
#include "blockio/region.hpp"

namespace coopvk::rewrite {

// Emits into the writer's current block.
void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, PrivateMemory& memory);

}  // namespace coopvk::rewrite
