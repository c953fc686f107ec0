// SPDX-License-Identifier: Apache-2.0
//
// What the lowering of matrices knows of its types: the fragment of each, and the layout policy.
#pragma once

#include <set>

#include "lowering/packed.hpp"
#include "matrix/grid_position.hpp"
#include "matrix/tiles/tile_grid.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

struct Number;

// How a lane holds the components of an accumulator between products: see open_sums.hpp.
enum class Sums {
    kClosed,   // as they are
    kHalves,   // each as two f16, whose sum it is
    kSingles,  // each as f32
};

// A cooperative matrix type; the elements are those that an invocation holds.
struct MatrixType : PackedType {
    const Number* number = nullptr;  // the format of components in memory
    uint32_t rows = 0;
    uint32_t columns = 0;
    Use use = Use::kAccumulator;
    Fragment fragment;
    std::optional<TileGrid> tiles;  // packs are matrices of the driver's own: tiles/tile_grid.hpp
    bool words = false;             // packs are words of 4- or 8-bit components: see factors.hpp
    Sums sums = Sums::kClosed;
    Id sum = 0;  // type of a component that is no closed one; the array has these in place of packs

    uint32_t length() const { return fragment.length(); }
    // Whether components lie in memory in another form than they are held in.
    bool isConverted() const;
};

// Matrices that are loaded in slices along K, one after the other: see matrix/slices.
struct ProductSlices {
    std::set<Id> types;  // their loads add to the Pointer
    uint32_t depth = 0;  // columns of A and rows of B in a slice
    Id number = 0;       // variable: which slice it is (u32)
};

// What matrices of scope Workgroup use of shared memory: see workgroup_memory.hpp.
struct SharedWords {
    Id variable = 0;                    // 0: nothing uses it
    std::optional<uint32_t> available;  // words that have room
    uint32_t used = 0;
};

struct MatrixContext : PackedContext {
    MatrixContext(TypeTable& theTypes, const Target& theTarget)
        : PackedContext(theTypes, theTarget, "cooperative matrix") {}

    LayoutPolicy policy;
    uint32_t invocations = 0;           // of the workgroup; 0 where that is not known
    std::map<Id, MatrixType> matrices;  // by type id; ordered, so that output is deterministic
    // Pointers to sums that are not closed, by the type of their matrix.
    std::map<Id, const MatrixType*> sumPointers;
    ProductSlices slices;
    SharedWords shared;
    TensorTypes tensors;
    TilePlan tiles;

    const MatrixType* matrix(Id type) const {
        const auto found = matrices.find(type);
        return found == matrices.end() ? nullptr : &found->second;
    }
    const MatrixType* matrixOfValue(Id value) const { return matrix(module.def(value).type); }

    // Of the invocation that runs `out`.
    GridPosition position(InstructionList& out, LaneScope scope) {
        const bool ofWorkgroup = scope == LaneScope::kWorkgroup;
        return {types,
                out,
                scope,
                ofWorkgroup ? policy.workgroup : policy.grid,
                ofWorkgroup ? policy.cell : policy.grid,
                ofWorkgroup ? invocations : target.subgroupSize};
    }

    const PackedType* packed(Id type) const override { return matrix(type); }
    std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value) override;
    void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                   Id result) override;
};

}  // namespace coopvk::rewrite
