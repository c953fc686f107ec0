// SPDX-License-Identifier: Apache-2.0
//
// Accumulators of scope Workgroup as tiles of the driver's own matrices of scope Subgroup, where it
// has such: each subgroup of the workgroup holds a rectangle of tiles.
//
// All but products and element-wise instructions need to know which invocation holds which element,
// which only the driver knows of its matrices. So each such type gets a second one beside it, dealt
// to the invocations as layout.hpp says, and conversions between both, through shared memory
// (tile_exchange.hpp), stand around those instructions.
#pragma once

#include <map>

#include "lowering/context.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// The tiles of one type of accumulators.
struct TileGrid {
    uint32_t rows = 0, columns = 0, depth = 0;       // of a tile: M, N, K
    uint32_t subgroupRows = 1, subgroupColumns = 1;  // of the workgroup
    uint32_t down = 1, across = 1;                   // tiles of a subgroup

    uint32_t count() const { return down * across; }
    bool operator==(const TileGrid&) const = default;
};

struct TilePlan {
    std::map<Id, TileGrid> grids;               // by type
    std::map<Id, Id> dealt;                     // the type beside it
    std::map<std::vector<uint32_t>, Id> types;  // of tiles: component, rows, columns, use

    const TileGrid* grid(Id type) const {
        const auto found = grids.find(type);
        return found == grids.end() ? nullptr : &found->second;
    }
    bool isTile(Id type) const;
    // OpTypeCooperativeMatrixKHR of scope Subgroup. Types of the module that are alike are lowered.
    Id tileType(TypeTable& types, Id component, uint32_t rows, uint32_t columns, Use use);
};

// Which accumulators become tiles: those of products that the driver has a shape for, of whose
// values no component is picked out by a literal index. `invocations`: of the workgroup.
TilePlan planTiles(const Module& module, const TypeTable& types, const Target& target,
                   uint32_t invocations);

// Puts conversions around instructions that take no tiles: OpCooperativeMatrixConvertNV between a
// type and the one beside it.
void convertAroundTiles(TypeTable& types, TilePlan& plan);

}  // namespace coopvk::rewrite
