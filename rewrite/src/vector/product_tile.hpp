// SPDX-License-Identifier: Apache-2.0
//
// Matrix-vector products of a whole subgroup at once. The lanes form a grid; each computes some
// rows of the products for some lanes' vectors, so that a weight that was loaded once serves
// several vectors. Vectors and results change hands through shared memory.
#pragma once

#include "vector/product.hpp"

namespace coopvk::rewrite {

struct Tile {
    uint32_t lanes = 0;        // of the subgroup; 0: products are not computed this way
    uint32_t gridRows = 0;     // lanes along the rows of the product
    uint32_t gridColumns = 0;  // lanes along the vectors
    uint32_t rowsPerLane = 0;  // their results for one vector fill 16 bytes at most
    uint32_t columnsPerLane = 0;
    uint32_t tiles = 0;  // that the rows of the product take
    uint32_t quads = 0;  // of the input that are exchanged at once

    bool isUsed() const { return lanes != 0; }
    uint32_t rowsPerTile() const { return gridRows * rowsPerLane; }
    uint32_t rows() const { return tiles * rowsPerTile(); }
    // Shared memory of a lane, in quads; one more than is used, to spread lanes over banks.
    uint32_t laneQuads() const { return quads + 1; }
};

// Unused where the stage, the device or the shape has no use for it.
Tile planTile(VectorContext& context, const VectorMatrixMul& product, Sum sum);

// True (a boolean) where all lanes are here and multiply by the same matrix.
Id mayShare(const ProductWork& work, const Tile& tile);

// The number of the subgroup in its workgroup, where mayShare().
Id subgroupNumber(VectorContext& context, Emitter& emit, const Tile& tile);

// quads[subgroups * lanes * laneQuads] in shared memory, for all products of the module; 0 if there
// is no room.
Id exchangeVariable(VectorContext& context, const Tile& tile);

void multiplyAsTile(const ProductWork& work, const Tile& tile);

}  // namespace coopvk::rewrite
