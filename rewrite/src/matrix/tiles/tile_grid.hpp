// SPDX-License-Identifier: Apache-2.0
//
// Accumulators of scope Workgroup as arrays of "tiles": matrices of scope Subgroup that the driver
// supports. Each subgroup of the workgroup holds a rectangle of tiles.
//
// Products and element-wise instructions take tiles. All other instructions depend on which
// invocation holds which element, and of a tile only the driver knows that. So there are two types
// for each type of accumulators: one in tiles, and one that is distributed to invocations as
// layout.hpp says. The module's values have the type with which fewer conversions between both,
// through shared memory (tile_product.cpp), are necessary.
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
    std::map<Id, TileGrid> grids;               // by type in tiles
    std::map<Id, Id> distributed;               // the distributed type, by the type in tiles
    std::map<std::vector<uint32_t>, Id> types;  // of tiles, by component, rows, columns, use

    // Whether any type is in tiles. `types` are made later.
    bool hasTiles() const { return !grids.empty(); }
    const TileGrid* grid(Id type) const {
        const auto found = grids.find(type);
        return found == grids.end() ? nullptr : &found->second;
    }
    bool isTile(Id type) const;
    // The type of a tile. It is always a new type: an equal one of the module is lowered.
    Id tileType(TypeTable& types, Id component, uint32_t rows, uint32_t columns, Use use);
};

// Which accumulators become tiles: those of products for which the driver supports a shape.
// `invocations`: of the workgroup.
TilePlan planTiles(const Module& module, const TypeTable& types, const PlannedTarget& target,
                   uint32_t invocations);

// Adds the second type of each type of accumulators. OpCooperativeMatrixConvertNV converts between
// both, around products if the module's values are distributed, else around instructions that take
// no tiles. With C distributed and T in tiles:
//
//   before:                     C s = product(a, b, c); C r = reduce(s)
//   if values are tiles:        T s = product(a, b, c); C t = convert(s); C u = reduce(t)
//                               T r = convert(u)
//   if they are distributed:    T t = product(a, b, 0); C u = convert(t); C s = u + c
//                               C r = reduce(s)
void convertAroundTiles(TypeTable& types, TilePlan& plan);

// Chooses the types of A and B, of scope Workgroup, that are distributed in runs (layout.hpp).

// The types, by id, whose values are only loaded from tensors, moved, and multiplied into tiles, if
// all loads of a type have neighbours in memory along the same dimension of the matrix.
std::map<Id, Run> chooseRuns(const TypeTable& types, const TilePlan& tiles);

}  // namespace coopvk::rewrite
