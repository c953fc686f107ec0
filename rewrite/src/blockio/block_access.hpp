// SPDX-License-Identifier: Apache-2.0
//
// One block load or store as accesses of each lane to its own elements.
//
// Elements beyond the region or the block are never touched: loads go to the region's first element
// instead and then give zero, stores are branched around. Neighbouring elements of a lane move in
// one access where the coordinate, the pitch and the region's width allow it, which is asked at run
// time, once for the whole block.
#pragma once

#include "blockio/block_plan.hpp"
#include "blockio/private_memory.hpp"
#include "blockio/region.hpp"

namespace coopvk::rewrite {

// The operands of a block instruction, in the types that lowering computes with.
struct BlockOperands {
    BlockOperation operation = BlockOperation::kLoad;
    BlockShape shape;
    Id width = 0;   // u32, bytes
    Id height = 0;  // u32
    Id pitch = 0;   // as it came
    Id x = 0;       // u32, as are negative ones
    Id y = 0;
};

// Appends to the writer's current block.
void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, PrivateMemory& memory);

}  // namespace coopvk::rewrite
