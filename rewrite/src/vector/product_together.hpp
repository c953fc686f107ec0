// SPDX-License-Identifier: Apache-2.0
//
// Matrix-vector products that the invocations (lanes) of a subgroup compute together: by tiles, by
// the driver's matrices, or with weights that are loaded once for all.
#pragma once

#include "vector/product.hpp"

namespace coopvk::rewrite {

inline constexpr uint32_t kExchangeQuads = 8;

// Shared memory through which the invocations (lanes) of a subgroup exchange vectors and results.
struct Exchange {
    uint32_t lanes = 0;  // of the subgroup
    uint32_t quads = 0;  // 16 bytes each: the part of a vector that is exchanged at once
    Id variable = 0;     // uvec4[subgroups * lanes * laneQuads()]; 0: there is none

    // Quads for a lane; the one that is unused spreads lanes over banks.
    uint32_t laneQuads() const { return quads + 1; }
};

// A boolean: whether all lanes are active and multiply by the same matrix.
Id isProductShared(const ProductWork& work, const Exchange& exchange);
// The index of the subgroup in its workgroup (u32), if isProductShared().
Id subgroupNumber(VectorContext& context, Emitter& emit, const Exchange& exchange);

// Returns a boolean: whether all lanes of the subgroup are active.
Id isSubgroupFull(VectorFunction& function, uint32_t lanes);

// The products of all lanes of a subgroup, computed together. The lanes form a grid. Each computes
// some rows for the vectors of some lanes, so it loads a weight once for several vectors.
struct Tile {
    Exchange exchange;
    uint32_t gridRows = 0;     // lanes along the rows of the product
    uint32_t gridColumns = 0;  // lanes along the vectors
    uint32_t rowsPerLane = 0;  // at most as many as 16 bytes of results hold
    uint32_t columnsPerLane = 0;
    uint32_t tiles = 0;  // along the rows of the product

    bool isUsed() const { return exchange.variable != 0; }
    uint32_t rowsPerTile() const { return gridRows * rowsPerLane; }
    uint32_t rows() const { return tiles * rowsPerTile(); }
};

// Not isUsed() if the stage, the device or the shape does not allow tiles.
Tile planTile(VectorContext& context, const VectorMatrixMul& product, Sum sum);
void multiplyAsTile(const ProductWork& work, const Tile& tile);

// The same by matrices of the driver's VK_KHR_cooperative_matrix: the rows of A are the inputs of
// as many lanes, and the columns of B are rows of the weights. The inputs go through the exchange,
// and so do weights that do not lie in blocks.
struct DriverProduct {
    Exchange exchange;
    MatrixShape shape = {};
    bool hasHalfResults = false;  // components of the result are f16
    bool loadsBlocks = false;     // B's elements lie in one piece in the buffer
    uint32_t rows = 0;            // that are computed: M, rounded up

    bool isUsed() const { return exchange.variable != 0; }
    // Units of the input are words of A's components; totals are as the exchange holds them.
    Sum sum() const;
    uint32_t totalBytes() const { return sum() == Sum::kHalfPairs ? 2 : 4; }
    // Rows whose totals are exchanged at once.
    uint32_t rowsPerTile() const { return 16 * exchange.quads / totalBytes(); }
};

// Not isUsed() if tiles are not possible, or if the driver has no matrices for these types, or must
// not be asked for them.
DriverProduct planDriverProduct(VectorContext& context, const VectorMatrixMul& product);
void multiplyByDriver(const ProductWork& work, const DriverProduct& plan);

// Whether lanes can exchange the vectors of a product; its matrix has lines of whole quads.
bool canExchange(const VectorContext& context, const VectorMatrixMul& product);
// The shared memory for all products; sets the variable to 0 if there is too little left.
Exchange planExchange(VectorContext& context);

// Whether the shader tests if all invocations of the subgroup use the same matrix. Processors with
// scalar registers load a uniform value once for the subgroup, so tiles gain nothing there, and
// cost registers. But their drivers must know that the address is uniform.
bool canShareWeights(const VectorContext& context, const VectorMatrixMul& product);
// Returns a function with the parameters of `alone`, a product by one invocation: the input, then
// the locations. If the latter are equal in the subgroup, it passes them to `alone` as uniform
// values, else as they are.
Id shareWeights(VectorContext& context, std::string_view name, Id resultType,
                std::span<const Id> parameterTypes, Id alone);

// Functions with the same parameters: the input, then the locations.
struct ProductFunctions {
    Id together = 0;  // by all lanes of a subgroup, for uniform locations
    Id alone = 0;     // by one invocation
};

// Returns a function with the parameters of `functions`. If all lanes of the subgroup are active,
// it calls `together` for each of their different locations, else `alone`.
Id multiplyInGroups(VectorContext& context, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes, const ProductFunctions& functions,
                    uint32_t lanes);

}  // namespace coopvk::rewrite
