// SPDX-License-Identifier: Apache-2.0
//
// Operations on matrices that are arrays of native ones, tile by tile. A matrix of one tile is no
// array.
#pragma once

#include <functional>

#include "lowering/function_writer.hpp"
#include "native/plan.hpp"

namespace coopvk::rewrite {

// Tiles of a value, row by row; and the value made of them.
std::vector<Id> splitTiles(Emitter& emit, const TiledType& type, Id value);
void joinTiles(Emitter& emit, const TiledType& type, std::span<const Id> tiles, Id result);

// Where a matrix lies in memory, in the terms of the KHR instructions.
struct TileAccess {
    Id layout = 0;  // MemoryLayout
    bool columnMajor = false;
    Id stride = 0;
    Operands memory;  // Memory Operands
};
// pointer(line, inner): to the element at line `line` (a row; for column-major layouts a column)
// and `inner` components on; 0 where memory has no such place.
using TilePointer = std::function<Id(uint32_t line, uint32_t inner)>;

// False if a pointer was 0.
bool loadTiles(Emitter& emit, const TiledType& type, const TileAccess& access,
               const TilePointer& pointer, Id result);
bool storeTiles(Emitter& emit, const TiledType& type, const TileAccess& access,
                const TilePointer& pointer, Id value);

void multiplyTiles(Emitter& emit, const NativePlan& plan, const Instruction& mulAdd);
// False if the instruction is no element-wise one on tiled matrices.
bool mapTiles(Emitter& emit, const NativePlan& plan, const Instruction& instruction);

}  // namespace coopvk::rewrite
