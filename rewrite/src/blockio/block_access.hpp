// SPDX-License-Identifier: Apache-2.0
//
// One block load or store as accesses of each lane to the elements that it has.
//
// Elements beyond the region or the block are never touched: loads go to the region's first element
// instead and then give zero, stores are branched around. Neighbouring elements of a lane move in
// one access where the coordinate, the pitch and the region's width allow it, which is asked at run
// time, once for the whole block.
#pragma once

#include "blockio/block_positions.hpp"
#include "blockio/private_memory.hpp"
#include "blockio/region.hpp"

namespace coopvk::rewrite {

// Appends to the writer's current block.
void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, PrivateMemory& memory);

}  // namespace coopvk::rewrite
