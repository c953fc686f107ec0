// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of native matrices, one for each tile.
#pragma once

#include <functional>

#include "native/context.hpp"

namespace coopvk::rewrite {

// Operands of OpCooperativeMatrixLoadKHR and OpCooperativeMatrixStoreKHR.
struct TileAccess {
    Id layout = 0;  // MemoryLayout
    bool columnMajor = false;
    Id stride = 0;
    Operands memory;  // Memory Operands
};
// pointer(line, inner): to component `inner` of a line: a row, or a column if columnMajor. 0, with
// an error, if no pointer can be made.
using TilePointer = std::function<Id(uint32_t line, uint32_t inner)>;

void loadTiles(NativeContext& context, Emitter& emit, const TiledType& type,
               const TileAccess& access, const TilePointer& pointer, Id result);
void storeTiles(NativeContext& context, Emitter& emit, const TiledType& type,
                const TileAccess& access, const TilePointer& pointer, Id value);

}  // namespace coopvk::rewrite
