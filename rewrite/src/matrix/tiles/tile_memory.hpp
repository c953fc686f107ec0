// SPDX-License-Identifier: Apache-2.0
//
// Tiles of the driver's own matrices in the shared memory of workgroup_memory.hpp, row by row.
#pragma once

#include "matrix/tiles/tile_grid.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

// Rows of components in shared memory: a word has as many as fit.
struct RowsInMemory {
    uint32_t first = 0;    // word, a multiple of four, as is `stride`
    uint32_t stride = 0;   // words from one row to the next
    uint32_t perWord = 1;  // components

    // Rows of so many components, padded so that they begin at different banks.
    static RowsInMemory of(uint32_t first, uint32_t columns, uint32_t componentBits) {
        const uint32_t perWord = 32 / componentBits;
        return {first, (columns / perWord + 3) / 4 * 4 + 4, perWord};
    }
    uint32_t words(uint32_t rows) const { return rows * stride; }
};

class TileMemory {
 public:
    TileMemory(MatrixContext& context, Emitter& emit, WorkgroupMemory& memory)
        : context_(context), emit_(emit), memory_(memory) {}

    // The tile whose first component is at (row, column): u32; the column's word is a multiple of
    // four.
    Id load(Id type, const RowsInMemory& rows, Id row, Id column);
    void store(Id tile, const RowsInMemory& rows, Id row, Id column);

 private:
    Id place(const RowsInMemory& rows, Id row, Id column);
    Operands access(Operands operands, const RowsInMemory& rows);

    MatrixContext& context_;
    Emitter& emit_;
    WorkgroupMemory& memory_;
};

// Where this subgroup is among those of the workgroup: u32.
struct SubgroupPosition {
    Id row = 0, column = 0;
};
SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid);

}  // namespace coopvk::rewrite
