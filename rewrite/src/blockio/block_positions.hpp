// SPDX-License-Identifier: Apache-2.0
//
// Where in the region of memory the elements of a block lie that this lane has, and whether they
// are within the region and the block at all.
#pragma once

#include "blockio/block_plan.hpp"
#include "lowering/function_writer.hpp"

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

// A step of the plan: column of the region where its block starts; row and column of the block.
struct BlockStep {
    Id x = 0;
    Id row = 0, column = 0;
};

// Where an access starts: row and byte of the region, and whether there is such a place (0:
// always).
struct BlockPlace {
    Id row = 0, column = 0, valid = 0;
};

class BlockPositions {
 public:
    BlockPositions(LoweringContext& context, FunctionWriter& writer, const BlockOperands& operands,
                   const BlockPlan& plan);

    // True where no element of any block lies beyond the region; where that is known, places need
    // not be compared with it.
    Id isInside();
    void assumeInside(bool inside) { inside_ = inside; }

    BlockStep stepAt(Id step);  // counted over all blocks
    // Byte `byte` of the step's columns, `row` rows on.
    BlockPlace at(const BlockStep& step, uint32_t row, uint32_t byte);
    // What was computed so far may not be valid any more.
    void forget();

 private:
    // A row or column of the region.
    struct Line {
        Id index;
        Id valid;
    };
    Line rowAt(const BlockStep& step, uint32_t constantRow);
    Line columnAt(const BlockStep& step, uint32_t constantColumn);
    Id laneTerm(const LaneTerm& term);
    Id constant(uint32_t value) { return emit_.constant(value); }
    Id below(Id a, Id b) { return emit_.compare(spv::Op::OpULessThan, a, b); }

    LoweringContext& context_;
    FunctionWriter& writer_;
    const BlockOperands& ops_;
    const BlockPlan& plan_;
    const BlockShape& shape_ = ops_.shape;
    Emitter& emit_ = writer_.emit();
    const bool rowsPadded_ = plan_.padsRows(shape_);
    const bool columnsPadded_ = plan_.padsColumns(shape_);
    bool inside_ = false;
    Id laneRow_;
    Id laneColumn_;
    Id widthElements_;
    std::map<std::pair<Id, uint32_t>, Line> rowMemo_;
    std::map<std::tuple<Id, Id, uint32_t>, Line> columnMemo_;
};

}  // namespace coopvk::rewrite
