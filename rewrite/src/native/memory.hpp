// SPDX-License-Identifier: Apache-2.0
//
// Native matrices in memory, tile by tile.
#pragma once

#include <functional>

#include "native/context.hpp"

namespace coopvk::rewrite {

// Where a matrix lies in memory, in the terms of the KHR instructions.
struct TileAccess {
    Id layout = 0;  // MemoryLayout
    bool columnMajor = false;
    Id stride = 0;
    Operands memory;  // Memory Operands
};
// pointer(line, inner): to the element at line `line` (a row; for column-major layouts a column)
// and `inner` components on; 0, with an error, where memory has no such place.
using TilePointer = std::function<Id(uint32_t line, uint32_t inner)>;

void loadTiles(NativeContext& context, Emitter& emit, const TiledType& type,
               const TileAccess& access, const TilePointer& pointer, Id result);
void storeTiles(NativeContext& context, Emitter& emit, const TiledType& type,
                const TileAccess& access, const TilePointer& pointer, Id value);

}  // namespace coopvk::rewrite
