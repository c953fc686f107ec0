// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a 2D block belong to which invocation (SPV_INTEL_2d_block_io, "Mapping Block
// Data to Invocations"), as data: no instruction is written here.
//
// A lane's elements are a sequence of steps, each with the same pattern of places. The element at
// a place is at
//
//   row     rows.at(lane)    + step * rowStep    + place.row
//   column  columns.at(lane) + step * columnStep + place.column
//
// of the block, and its bytes follow those of the place before it. That order is all by which
// transposing and transforming differ from loading: a 32-bit value of a transformed block is the
// elements of two or four rows, lowest first. Places beyond the block are padding; so are the rows
// that are missing in the last step where one step deals several rows to the lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// Regions have at most so many rows and bytes a row, so larger blocks make no sense.
inline constexpr uint32_t kMaxBlockSize = 1u << 24;
// Transformed elements are packed into 32-bit values.
inline constexpr uint32_t kMaxTransformedSize = 4;

// Elements of 1 and 2 bytes need integers and storage of their width.
bool canAccessElements(const DeviceTraits& device, uint32_t elementSize);

struct BlockShape {
    uint32_t elementSize = 0;  // bytes
    uint32_t width = 0;        // elements a row, as in memory
    uint32_t height = 0;       // rows, as in memory
    uint32_t count = 0;        // blocks
};

// The restriction of the text that a shape breaks, or nothing.
std::optional<std::string> brokenRule(BlockOperation operation, const BlockShape& shape);

// A part of a position that differs by lane.
struct LaneTerm {
    uint32_t divisor = 1;
    uint32_t modulus = 1;
    uint32_t factor = 0;

    uint32_t at(uint32_t lane) const { return lane / divisor % modulus * factor; }
    uint32_t last() const { return (modulus - 1) * factor; }
};

struct Place {
    uint32_t row = 0;
    uint32_t column = 0;
};

struct BlockPlan {
    LaneTerm rows;
    LaneTerm columns;
    uint32_t steps = 0;  // of one block
    uint32_t rowStep = 0;
    uint32_t columnStep = 0;
    std::vector<Place> pattern;

    bool padsRows(const BlockShape& shape) const;
    bool padsColumns(const BlockShape& shape) const;
    // Elements that can move together: the largest power of two, of at most 16 bytes, such that
    // the pattern consists of whole runs of so many, all within the block or all beyond it.
    uint32_t longestRun(const BlockShape& shape) const;
    uint64_t elementsPerLane(const BlockShape& shape) const {
        return uint64_t{shape.count} * steps * pattern.size();
    }
};

// For a shape that breaks no rule.
BlockPlan planBlock(BlockOperation operation, const BlockShape& shape, uint32_t subgroupSize);

}  // namespace coopvk::rewrite
