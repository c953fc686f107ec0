// SPDX-License-Identifier: Apache-2.0
//
// Matrix-vector products that the invocations (lanes) of a subgroup compute together: by tiles, by
// the driver's matrices, or with weights that are loaded once for all.
#pragma once

#include "lowering/staging.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

// A boolean: whether all lanes are active and multiply by the same matrix.
Id isProductShared(const ProductWork& work, const VectorExchange& exchange);

// Returns a boolean: whether all lanes of the subgroup are active.
Id isSubgroupFull(VectorFunction& function, uint32_t lanes);

// The products of all lanes of a subgroup, computed together. The lanes form a grid. Each computes
// some rows for the vectors of some lanes, so it loads a weight once for several vectors.
struct Tile {
    VectorExchange exchange;
    uint32_t gridRows = 0;     // lanes along the rows of the product
    uint32_t gridColumns = 0;  // lanes along the vectors
    uint32_t rowsPerLane = 0;  // at most as many as 16 bytes of results hold
    uint32_t columnsPerLane = 0;
    uint32_t tiles = 0;  // along the rows of the product

    uint32_t rowsPerTile() const { return gridRows * rowsPerLane; }
    uint32_t rows() const { return tiles * rowsPerTile(); }
};

// nullopt if the stage, the device or the shape does not allow tiles.
void multiplyAsTile(const ProductWork& work, const Tile& tile);

// The same by matrices of the driver's VK_KHR_cooperative_matrix: the rows of A are the inputs of
// as many lanes, and the columns of B are rows of the weights. The inputs go through the exchange,
// and so do weights that do not lie in blocks.
struct DriverProduct {
    VectorExchange exchange;
    MatrixShape shape = {};
    bool hasHalfResults = false;  // components of the result are f16
    bool loadsBlocks = false;     // B's elements lie in one piece in the buffer
    uint32_t rows = 0;            // that are computed: M, rounded up

    // Units of the input are words of A's components; totals are as the exchange holds them.
    Sum sum() const;
    uint32_t totalBytes() const { return sum() == Sum::kHalfPairs ? 2 : 4; }
    // Rows whose totals are exchanged at once.
    uint32_t rowsPerTile() const { return 16 * kExchangeQuads / totalBytes(); }
};

// nullopt if tiles are not possible, or if the driver has no matrices for these types, or must not
// be asked for them.
std::optional<DriverProduct> planDriverProduct(VectorContext& context,
                                               const VectorMatrixMul& product);

// The ways to compute a product that are worth having in a helper function, beside the one by each
// invocation alone.
struct ProductPlan {
    std::optional<DriverProduct> driver;
    std::optional<Tile> tile;
    bool isCalled = false;  // not inlined

    bool hasTwoForms() const { return driver || tile; }
    std::string_view path() const {
        if (driver) return "vectors: the driver's matrices";
        return tile ? "vectors: tiles" : "vectors: alone";
    }
};

ProductPlan planProduct(VectorContext& context, const VectorMatrixMul& product);
void multiplyByDriver(const ProductWork& work, const DriverProduct& plan);

// Whether lanes can exchange the vectors of a product; its matrix has lines of whole quads.
bool canExchange(const VectorContext& context, const VectorMatrixMul& product);
// The shared memory for all products; nullopt if there is too little left.
std::optional<VectorExchange> planExchange(VectorContext& context);

// Whether the shader tests if all invocations of the subgroup use the same matrix. Processors with
// scalar registers load a uniform value once for the subgroup, so tiles gain nothing there, and
// cost registers. But their drivers must know that the address is uniform.
bool asksForUniformWeights(const VectorContext& context, const VectorMatrixMul& product);
// Returns a function with the parameters of `alone`, a product by one invocation: the input, then
// the locations. If the latter are equal in the subgroup, it passes them to `alone` as uniform
// values, else as they are.
Id multiplyByUniformWeights(VectorContext& context, std::string_view name, Id resultType,
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

// The inputs and results of a subgroup's invocations in shared memory, in chunks of as many bytes
// of each vector as the exchange has: the base of the products that a subgroup computes together.

class SharedVectors : protected VectorCode {
 protected:
    SharedVectors(const ProductWork& work, const VectorExchange& exchange)
        : VectorCode(work.function),
          work_(work),
          p_(work.product),
          exchange_(exchange),
          area_(emit_, exchange.area),
          quad_(exchange.area.element) {}

    // Reads the positions of the subgroup and of this invocation (lane).
    void begin();

    // The first quad of a lane (u32) of the subgroup.
    Id laneBase(Id lane) { return addU32(base_, times(lane, VectorExchange::kLaneQuads)); }

    // Quads of a line of the matrix, and the quads of input that belong to one of them.
    uint32_t matrixQuads() const { return p_.lineBytes() / 16; }
    uint32_t inputQuadsPerMatrixQuad() const { return work_.arithmetic.unitsPerWord(); }
    uint32_t matrixQuadsPerChunk() const { return kExchangeQuads / inputQuadsPerMatrixQuad(); }

    // For each chunk, in order: shares this lane's part of the input, with zeros up to a multiple
    // of `multiple` quads, runs add(first quad of the matrix (u32), quads of the matrix), and frees
    // the memory.
    void forEachChunk(uint32_t multiple, const std::function<void(Id, uint32_t)>& add);

    const ProductWork& work_;
    const VectorMatrixMul& p_;
    const VectorExchange& exchange_;
    AreaAccess area_;  // by quads
    Id quad_;
    Id lane_ = 0;
    Id base_ = 0;
    Id laneQuads_ = 0;  // first quad of this lane

 private:
    void shareChunk(Id chunk, uint32_t quads, uint32_t zeros, uint32_t whole);
    void shareInput(Id chunk, uint32_t quads);
};

}  // namespace coopvk::rewrite
