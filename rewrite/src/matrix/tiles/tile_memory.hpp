// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of tiles, which lie row by row in the shared memory of workgroup_memory.hpp.
#pragma once

#include "matrix/tiles/tile_grid.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

// Rows of components in shared memory.
struct RowsInMemory {
    uint32_t first = 0;    // first word; a multiple of four
    uint32_t stride = 0;   // words from one row to the next; a multiple of four
    uint32_t perWord = 1;  // components of a word

    // Rows of `columns` components. Padding lets rows begin at different banks.
    static RowsInMemory of(uint32_t first, uint32_t columns, uint32_t componentBits) {
        const uint32_t perWord = 32 / componentBits;
        return {first, (columns / perWord + 3) / 4 * 4 + 4, perWord};
    }
    uint32_t words(uint32_t rows) const { return rows * stride; }
    // Number of the vector of four words that has component (row, column): all are u32.
    Id vectorOf(Emitter& emit, Id row, Id column) const {
        const Id along = emit.over(column, 4 * perWord);
        return emit.plus(emit.addU32(emit.times(row, stride / 4), along), first / 4);
    }
};

class TileMemory {
 public:
    TileMemory(MatrixContext& context, Emitter& emit, WorkgroupMemory& memory)
        : context_(context), emit_(emit), memory_(memory) {}

    // The tile whose first component is at (row, column), both u32. The number of its word is a
    // multiple of four.
    Id load(Id type, const RowsInMemory& rows, Id row, Id column);
    void store(Id tile, const RowsInMemory& rows, Id row, Id column);

 private:
    Id pointer(const RowsInMemory& rows, Id row, Id column) {
        return memory_.pointerToVector(rows.vectorOf(emit_, row, column));
    }
    Operands access(Operands operands, const RowsInMemory& rows);

    MatrixContext& context_;
    Emitter& emit_;
    WorkgroupMemory& memory_;
};

// The row and column of this subgroup in the grid of the workgroup's subgroups: u32.
struct SubgroupPosition {
    Id row = 0, column = 0;
};
SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid);

}  // namespace coopvk::rewrite
