// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of tiles, which lie row by row, or column by column, in the shared memory of
// exchange.hpp.
#pragma once

#include "matrix/exchange.hpp"
#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite {

// Rows or columns of components in shared memory.
struct LinesInMemory {
    uint32_t first = 0;    // first word; a multiple of four
    uint32_t stride = 0;   // words from one line to the next; a multiple of four
    uint32_t perWord = 1;  // components of a word
    bool areColumns = false;

    // Lines of `length` components. Padding lets lines begin at different banks.
    static LinesInMemory of(uint32_t first, uint32_t length, uint32_t componentBits,
                            bool areColumns = false) {
        const uint32_t perWord = 32 / componentBits;
        return {first, (length / perWord + 3) / 4 * 4 + 4, perWord, areColumns};
    }
    uint32_t words(uint32_t lines) const { return lines * stride; }
    // Number of the vector of four words that has component (row, column): all are u32.
    Id vectorOf(Emitter& emit, Id row, Id column) const {
        const Id line = areColumns ? column : row;
        const Id along = emit.over(areColumns ? row : column, 4 * perWord);
        return emit.plus(emit.addU32(emit.times(line, stride / 4), along), first / 4);
    }
};

class TileMemory {
 public:
    TileMemory(Emitter& emit, WorkgroupMemory& memory) : emit_(emit), memory_(memory) {}

    // The tile whose first component is at (row, column), both u32. The number of its word is a
    // multiple of four.
    Id load(Id type, const LinesInMemory& lines, Id row, Id column) {
        return inWords(lines).load(emit_, type, pointer(lines, row, column));
    }
    void store(Id tile, const LinesInMemory& lines, Id row, Id column) {
        inWords(lines).store(emit_, pointer(lines, row, column), tile);
    }

 private:
    Id pointer(const LinesInMemory& lines, Id row, Id column) {
        return memory_.pointerToVector(lines.vectorOf(emit_, row, column));
    }
    DriverLines inWords(const LinesInMemory& lines) {
        return DriverLines::shared(emit_, lines.stride / 4, lines.areColumns);
    }

    Emitter& emit_;
    WorkgroupMemory& memory_;
};

// The row and column of this subgroup in the grid of the workgroup's subgroups: u32.
struct SubgroupPosition {
    Id row = 0, column = 0;
};
SubgroupPosition readSubgroupPosition(Emitter& emit, const TileGrid& grid);

}  // namespace coopvk::rewrite
