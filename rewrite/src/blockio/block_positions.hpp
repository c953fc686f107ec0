// SPDX-License-Identifier: Apache-2.0
//
// Computes the rows and columns of an invocation's elements of a block in the region of memory, and
// whether these are inside the region and the block.
#pragma once

#include "blockio/block_plan.hpp"
#include "lowering/function_writer.hpp"

namespace coopvk::rewrite {

// The operands of a block instruction.
struct BlockOperands {
    BlockOperation operation = BlockOperation::kLoad;
    BlockShape shape;
    Id width = 0;   // of the region; u32, bytes
    Id height = 0;  // u32
    Id pitch = 0;   // an integer of any width, bytes
    Id x = 0;       // u32; negative coordinates in two's complement
    Id y = 0;
};

// A step of the plan.
struct BlockStep {
    Id x = 0;                // the block's first column in the region
    Id row = 0, column = 0;  // in the block
};

// The start of an access in the region: row, and column in bytes. `valid` is a boolean: whether the
// position is inside the region and the block; 0: always.
struct RegionPosition {
    Id row = 0, column = 0, valid = 0;
};

class BlockPositions {
 public:
    BlockPositions(LoweringContext& context, FunctionWriter& writer, const BlockOperands& operands,
                   const BlockPlan& plan);

    // A boolean: whether all elements of all blocks are inside the region.
    Id isInside();
    // Whether that is known to be true.
    void assumeInside(bool inside) { inside_ = inside; }

    BlockStep stepAt(Id step);  // counted over all blocks
    // `row` rows and `byte` bytes after the step's first element.
    RegionPosition at(const BlockStep& step, uint32_t row, uint32_t byte);
    // Forgets values that may not dominate what follows.
    void forget();

 private:
    struct Coordinate {
        Id index;  // in the region
        Id valid;
    };
    // The rows or the columns.
    struct Axis {
        Id lane;  // the invocation's part of the position in the block
        Id regionSize;
        uint32_t blockSize;
        bool isPadded;
        std::map<std::tuple<Id, Id, uint32_t>, Coordinate> known = {};
    };
    // Of the element `offset` elements after `position` in a block that starts at `start`.
    Coordinate coordinateAt(Axis& axis, Id start, Id position, uint32_t offset);
    Id laneTerm(const LaneTerm& term);
    Id below(Id a, Id b) { return emit_.compare(spv::Op::OpULessThan, a, b); }

    LoweringContext& context_;
    FunctionWriter& writer_;
    const BlockOperands& ops_;
    const BlockPlan& plan_;
    const BlockShape& shape_ = ops_.shape;
    Emitter& emit_ = writer_.emit();
    bool inside_ = false;
    Axis rows_, columns_;
};

}  // namespace coopvk::rewrite
