// SPDX-License-Identifier: Apache-2.0
//
// Accumulators of scope Workgroup as arrays of "tiles": matrices of scope Subgroup that the driver
// supports. Each subgroup of the workgroup holds a rectangle of tiles.
//
// Products and element-wise instructions take tiles. All other instructions depend on which
// invocation holds which element, and of a tile only the driver knows that. So each type in tiles
// gets a second type, which is distributed to invocations as layout.hpp says. Conversions between
// both types, through shared memory (tile_exchange.cpp), surround the other instructions.
#pragma once

#include <map>

#include "lowering/context.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// How a type of accumulators is divided into tiles.
struct TileGrid {
    uint32_t rows = 0, columns = 0, depth = 0;       // of a tile: M, N, K
    uint32_t subgroupRows = 1, subgroupColumns = 1;  // of the workgroup
    uint32_t down = 1, across = 1;                   // rows and columns of a subgroup's tiles

    uint32_t count() const { return down * across; }
    bool operator==(const TileGrid&) const = default;
};

struct TilePlan {
    std::map<Id, TileGrid> grids;               // by type of accumulators
    std::map<Id, Id> distributed;               // the second type, by the type in tiles
    std::map<std::vector<uint32_t>, Id> types;  // of tiles, by component, rows, columns, use

    const TileGrid* grid(Id type) const {
        const auto found = grids.find(type);
        return found == grids.end() ? nullptr : &found->second;
    }
    bool isTile(Id type) const;
    // The type of a tile. It is always a new type: an equal one of the module is lowered.
    Id tileType(TypeTable& types, Id component, uint32_t rows, uint32_t columns, Use use);
};

// Which accumulators become tiles: those of products for which the driver supports a shape, unless
// a literal index picks a component of their values. `invocations`: of the workgroup.
TilePlan planTiles(const Module& module, const TypeTable& types, const Target& target,
                   uint32_t invocations);

// Surrounds instructions that take no tiles with conversions: OpCooperativeMatrixConvertNV between
// a type in tiles and its second type.
void convertAroundTiles(TypeTable& types, TilePlan& plan);

}  // namespace coopvk::rewrite
