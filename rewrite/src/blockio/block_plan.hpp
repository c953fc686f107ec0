// SPDX-License-Identifier: Apache-2.0
//
// The mapping from elements of a 2D block to invocations (SPV_INTEL_2d_block_io, "Mapping Block
// Data to Invocations"), as data.
//
// An invocation's elements are a sequence of steps, each with the same pattern of elements. Such an
// element is at
//
//   row     rows.at(lane)    + step * rowStep    + element.row
//   column  columns.at(lane) + step * columnStep + element.column
//
// of the block. In private memory the elements are contiguous, in the order of the pattern. Loads
// that transpose or transform only have another order: a 32-bit value of a transformed block holds
// elements of two or four rows, the first in the lowest bits. Elements beyond the block are
// padding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The most rows, and bytes in a row, that regions can have.
inline constexpr uint32_t kMaxBlockSize = 1u << 24;
// Transformed elements are packed into 32-bit values.
inline constexpr uint32_t kMaxTransformedSize = 4;

// Whether the device has integers and buffer accesses of 1 or 2 bytes; true for larger elements.
bool canAccessElements(const DeviceFeatures& device, uint32_t elementSize);

struct BlockShape {
    uint32_t elementSize = 0;  // bytes
    uint32_t width = 0;        // elements in a row in memory
    uint32_t height = 0;       // rows in memory
    uint32_t count = 0;        // blocks
};

// The rule of the extension that a shape breaks; nullopt: none.
std::optional<std::string> brokenRule(BlockOperation operation, const BlockShape& shape);

// The part of a position that depends on the lane.
struct LaneTerm {
    uint32_t divisor = 1;
    uint32_t modulus = 1;
    uint32_t factor = 0;

    uint32_t at(uint32_t lane) const { return lane / divisor % modulus * factor; }
    uint32_t last() const { return (modulus - 1) * factor; }
};

struct BlockElement {
    uint32_t row = 0;
    uint32_t column = 0;
};

struct BlockPlan {
    LaneTerm rows;
    LaneTerm columns;
    uint32_t steps = 0;  // of one block
    uint32_t rowStep = 0;
    uint32_t columnStep = 0;
    std::vector<BlockElement> pattern;

    // Whether the plan has rows, or columns, beyond the block.
    bool padsRows(const BlockShape& shape) const;
    bool padsColumns(const BlockShape& shape) const;
    // Elements that one access can take: the largest power of two, of at most 16 bytes, so that the
    // pattern consists of whole runs, each completely inside or completely beyond the block.
    uint32_t longestRun(const BlockShape& shape) const;
    uint64_t elementsPerLane(const BlockShape& shape) const {
        return uint64_t{shape.count} * steps * pattern.size();
    }
};

// For a shape that breaks no rule.
BlockPlan planBlock(BlockOperation operation, const BlockShape& shape, uint32_t subgroupSize);

// Computes the rows and columns of an invocation's elements of a block in the region of memory, and
// whether these are inside the region and the block.

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

// The start of an access in the region: row, and column in bytes. `valid`: whether the position is
// inside the region and the block.
struct RegionPosition {
    Id row = 0, column = 0;
    Condition valid = Condition::always();
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

 private:
    struct Coordinate {
        Id index = 0;  // in the region
        Condition valid = Condition::always();
    };
    // The rows or the columns.
    struct Axis {
        Id lane;  // the invocation's part of the position in the block
        Id regionSize;
        uint32_t blockSize;
        bool isPadded;
    };
    // Of the element `offset` elements after `position` in a block that starts at `start`.
    Coordinate coordinateAt(const Axis& axis, Id start, Id position, uint32_t offset);
    Id laneTerm(const LaneTerm& term);
    Id below(Id a, Id b) { return emit_.compare(OpULessThan, a, b); }

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
