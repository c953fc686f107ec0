// SPDX-License-Identifier: Apache-2.0
//
// The state of the lowering of matrices: the matrix types, and the layout policy.
#pragma once

#include <set>

#include "ir/multiples.hpp"
#include "lowering/packed.hpp"
#include "lowering/staging.hpp"
#include "matrix/layout.hpp"
#include "matrix/tiles/tile_grid.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

struct Number;

// A cooperative matrix type. PackedType describes the elements that an invocation holds.
struct MatrixType : PackedType {
    const Number* number = nullptr;  // the format of components in memory
    Id format = 0;                   // the scalar type of this format, which the module declares
    uint32_t rows = 0;
    uint32_t columns = 0;
    Use use = Use::kAccumulator;
    bool likeAccumulator = false;  // distributed as an accumulator, whatever its use
    Fragment fragment;
    std::optional<TileGrid> tiles;  // packs are the driver's matrices (tiles/tile_grid.hpp)
    bool isInWords = false;         // packs are u32 with components of 4 or 8 bits
    SumForm sumForm = SumForm::kClosed;
    Id sumType = 0;  // of an open sum

    bool isOpen() const { return sumForm != SumForm::kClosed; }
    // The elements of the array that a lane has: packs, or open sums in their place.
    Id heldType() const { return isOpen() ? sumType : pack; }
    uint32_t heldCount() const { return isOpen() ? length() : packs(); }
    uint32_t length() const { return fragment.length(); }
    // Whether an invocation holds components in another form than they have in memory.
    bool isConverted() const;
    bool hasFourBits() const;
    // Whether components are 8-bit floats, held as f16.
    bool hasSmallFloats() const;
};

// Matrices that are loaded in slices along K, one after the other (matrix/slices).
struct ProductSlices {
    std::map<Id, uint32_t> depths;  // columns or rows in a slice, by type of A or B
    Id number = 0;                  // variable: the slice's number (u32)
    // Of conversions that take a slice of A from the lanes that hold it: the first column, behind
    // those of earlier iterations of the loop (slices/segments.hpp).
    std::map<Id, uint32_t> firstColumns;
    // Types of accumulators, of one product each, whose sums are open until its last slice.
    std::set<Id> openSums;
};

// Shared memory for matrices of scope Workgroup, in words.
struct SharedWords {
    std::optional<Id> variable;         // nullopt: nothing uses it
    std::optional<uint32_t> available;  // nullopt: not computed yet
    uint32_t used = 0;
};

// Ways to load by tensor addresses (tensor_load.cpp).
enum class LoadWay {
    kFastest,   // for layouts that allow it
    kOthers,    // for any layout
    kByLayout,  // one of both, by the layout's numbers
};

// Loads that are alike, and their functions (tensor_elements.hpp).
struct SharedLoads {
    std::optional<AccessPatterns> patterns;
    std::set<Id> loads;  // that call functions
    std::map<std::vector<uint32_t>, Id> functions;
    FunctionList waiting;        // functions that are not lowered yet
    std::map<Id, LoadWay> ways;  // of the loads in functions
    std::map<Id, Id> variables;  // that all functions share, by type
};

struct MatrixContext : PackedContext {
    MatrixContext(TypeTable& theTypes, const PlannedTarget& theTarget)
        : PackedContext(theTypes, theTarget, "cooperative matrix") {}

    LayoutPolicy policy;
    uint32_t invocations = 0;  // of the workgroup; 0: not known
    // Each cell of the workgroup's grid is a subgroup: lanes are numbered by subgroups. Else they
    // are numbered by LocalInvocationIndex.
    bool cellsAreSubgroups = false;
    std::map<Id, MatrixType> matrices;  // by type id; ordered, for deterministic output
    // The matrix types of pointers to open sums, by pointer.
    std::map<Id, const MatrixType*> sumPointers;
    ProductSlices slices;
    std::optional<Multiples> multiples;  // if loads from buffers may be in words
    SharedWords shared;
    // Of subgroups, by name, the type of elements and their number.
    std::map<std::tuple<std::string_view, Id, uint32_t>, SubgroupArea> areas;
    TensorTypes tensors;
    // Conversions whose results only tensor stores use: the operand, by the result. The stores
    // convert.
    std::map<Id, Id> storedConversions;
    // The first, second, ... load of each group, but not the last one (tensor/load_order.hpp). They
    // wait until the last one is lowered: one branch is for all of them.
    std::set<Id> followedLoads;
    std::vector<const Instruction*> waitingLoads;
    LoadVersions loadVersions;
    SharedLoads sharedLoads;
    // Products that are `opened` in tensor/load_order.hpp. Lowering one leaves its last part to the
    // function that it notes in productEnds; lowering the copy of the product calls that.
    std::set<Id> openedProducts;
    std::map<Id, Id> productEnds;
    TilePlan tiles;
    std::set<Id> driver;             // types that stay the driver's (driver/driver_matrices.hpp)
    std::optional<Staging> staging;  // for conversions of these

    // Whether the native back-end lowers an instruction, since it is on the driver's matrices.
    bool isOfOthers(const Instruction& instruction) const override;

    const MatrixType* matrix(Id type) const {
        const auto found = matrices.find(type);
        return found == matrices.end() ? nullptr : &found->second;
    }
    const MatrixType* matrixOfValue(Id value) const { return matrix(module.def(value).type); }

    LaneGrid lanesOf(LaneScope scope) const {
        if (scope == LaneScope::kSubgroup) {
            return {scope, policy.grid, policy.grid, target.subgroupSize};
        }
        return {scope, policy.workgroup, policy.cell, invocations, cellsAreSubgroups};
    }
    LaneGrid lanesOf(const Fragment& fragment) const {
        if (fragment.map) {
            const Grid& grid = fragment.map->grid;
            return {LaneScope::kSubgroup, grid,  grid,
                    target.subgroupSize,  false, fragment.map->isByColumns};
        }
        if (!fragment.run) return lanesOf(fragment.scope);
        const Grid grid = {fragment.rows.lanes, fragment.columns.lanes};
        const bool isByColumns = fragment.run->along == Dimension::kRows;
        return {LaneScope::kWorkgroup, grid, grid, invocations, false, isByColumns};
    }
    // The position of the invocation that executes `out`.
    GridPosition position(InstructionList& out, LaneScope scope) {
        return {types, out, lanesOf(scope)};
    }
    // The same in the lanes of a fragment.
    GridPosition position(InstructionList& out, const Fragment& fragment) {
        return {types, out, lanesOf(fragment)};
    }

    const PackedType* packed(Id type) const override { return matrix(type); }
    std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value) override;
    void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                   Id result) override;
};

// Lowers cooperative matrices to core SPIR-V.

// Specialization constants must be frozen. On success only tiles (tiles/tile_grid.hpp) are left of
// cooperative matrices.
std::optional<Error> lowerMatrices(MatrixContext& context);
// Answers askForElements() (coopvk/held_matrices.hpp).
void tellElements(MatrixContext& context);

// Whether reductions of a workgroup's matrices may begin in its subgroups, which must be full.
bool canReduceInSubgroups(const Module& module, const PlannedTarget& target);

// The functions that instructions on matrices call for elements (SPV_NV_cooperative_matrix2):
// DecodeFunc, Func and CombineFunc.

// These functions, and those that they call. Sets an error if one of them has an instruction that
// it must not have. So none of them leads to itself, and none calls such functions for elements.
std::unordered_set<Id> callbacksOf(MatrixContext& context);

}  // namespace coopvk::rewrite
