// SPDX-License-Identifier: Apache-2.0
//
// Chooses the driver's matrices of which the matrices of a module consist.
#pragma once

#include <algorithm>
#include <functional>

#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "lowering/packed.hpp"
#include "lowering/staging.hpp"
#include "matrix/layout.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/staging_arrays.hpp"
#include "native/lower.hpp"
#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

// A matrix type as a grid of tiles in row-major order: matrices of the driver, which are its packs.
// If there is only one, it is the type itself.
struct TiledType : PackedType {
    Use use = Use::kAccumulator;
    uint32_t rows = 0, columns = 0;
    uint32_t tileRows = 0, tileColumns = 0;

    uint32_t gridRows() const { return rows / tileRows; }
    uint32_t gridColumns() const { return columns / tileColumns; }
    bool isTiled() const { return gridRows() * gridColumns() > 1; }
};

struct NativePlan {
    std::map<Id, TiledType> types;
    std::string note;  // names the choice

    bool isTiled() const {
        return std::ranges::any_of(types, [](const auto& type) { return type.second.isTiled(); });
    }
    const TiledType* type(Id id) const {
        const auto found = types.find(id);
        return found == types.end() ? nullptr : &found->second;
    }
};

// kUnsupported, with the reason, if the driver's matrices do not suffice.
Result<NativePlan> planNative(const Module& module, const TypeTable& types,
                              const PlannedTarget& target);

// The native back-end: uses the driver's VK_KHR_cooperative_matrix. Matrices become arrays of tiles
// if the driver lacks their shape. Instructions of other extensions become accesses to shared
// memory.
//
//   %a = OpCooperativeMatrixLoadKHR %M32x16 %p      %0 = OpCooperativeMatrixLoadKHR %M16x16 %p
//                                                   %1 = OpCooperativeMatrixLoadKHR %M16x16 %p16
//                                                   %a = OpCompositeConstruct %array %0 %1

// `subgroups`: the most that a workgroup may have.
std::optional<Error> lowerToNative(TypeTable& types, const PlannedTarget& target, NativePlan plan,
                                   uint32_t subgroups);

// Tests whether a list of shapes, such as the driver's, has a module's matrices and products.

// Whether a shape has a matrix of the type's component and use with `rows` and `columns`.
bool hasMatrix(std::span<const MatrixShape> shapes, const TypeTable& types, const TiledType& type,
               uint32_t rows, uint32_t columns);

// Whether operands of a matrix type depend on specialization constants.
bool hasOpenMatrixTypes(const Module& module);

// Whether a module uses a shape of `added`; with `any`, any one that is not in `native`.
enum class AddedShapeUse {
    kNone,
    kSome,
    kOpen,  // specialization constants decide
};
AddedShapeUse addedShapeUse(const Module& module, const TypeTable& types,
                            std::span<const MatrixShape> native, std::span<const MatrixShape> added,
                            bool any);

// State of the native back-end: for the module, and for the function that it lowers.

struct NativeContext : PackedContext {
    NativeContext(TypeTable& theTypes, const PlannedTarget& theTarget, NativePlan thePlan,
                  uint32_t subgroups)
        : PackedContext(theTypes, theTarget, "cooperative matrix"),
          plan(std::move(thePlan)),
          staging(*this, subgroups) {}

    NativePlan plan;
    Staging staging;
    MatrixCounts counts{module};  // of types as lowerToNative() has redefined them

    // Only types of several tiles are lowered.
    const PackedType* packed(Id type) const override {
        const TiledType* matrix = plan.type(type);
        return matrix != nullptr && matrix->isTiled() ? matrix : nullptr;
    }
    // Also for matrices of one tile. Tiles are in row-major order.
    std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value) override;
    void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> tiles,
                   Id result) override;

    // Refuses instructions that the driver's matrices do not have either.
    void checkKept(const Instruction& instruction) override;

    const TiledType* matrixOfValue(Id value) const { return plan.type(module.def(value).type); }
};

struct NativeFunction : FunctionLowering<NativeContext> {
    using FunctionLowering::FunctionLowering;

    TypeTable& types = context.types;
    std::map<Id, Id> variables = {};  // by matrix type
};

// The lowering of instructions on native matrices. false: the instruction stays, perhaps changed in
// place.

// Only the driver knows which elements, and how many, an invocation has.
bool lowerNativeLength(NativeFunction& f, const Instruction& length);
bool lowerNativeExtract(NativeFunction& f, const Instruction& extract);
bool lowerNativeInsert(NativeFunction& f, const Instruction& insert);

// Lengths of native matrices: drivers know them, but not all support them in OpSpecConstantOp. By
// id: the OpSpecConstantOp of lengths, and of values computed from them.
using LengthConstants = std::map<Id, Instruction>;
// Removes these constants.
LengthConstants takeLengths(NativeContext& context);
// Computes those that a function uses at its start.
void readLengths(NativeContext& context, const LengthConstants& lengths, Function& function);

// Loads and stores of native matrices, one for each tile.

struct TileAccess : DriverLines {
    bool columnMajor = false;
};
// pointer(line, inner): to component `inner` of a line: a row, or a column if columnMajor. 0, with
// an error, if no pointer can be made.
using TilePointer = std::function<Id(uint32_t line, uint32_t inner)>;

// Matrices of 8-bit floats become the driver's f16 matrices, which have all their values. Loads,
// stores and conversions to 8-bit floats go through shared memory, since only the driver knows
// which invocation has which element:
//
//   %a = OpCooperativeMatrixLoadKHR %bytes %p      for each of this invocation's units:
//                                                      shared[unit] = f16(p[unit])
//                                                  %a = OpCooperativeMatrixLoadKHR %halves %shared

// Elements must be held as f16 already (unify/small_floats). `subgroups`: the most that a workgroup
// may have. kUnsupported where the driver's matrices do not suffice.
std::optional<Error> holdInDriverMatrices(TypeTable& types, const PlannedTarget& target,
                                          uint32_t subgroups);

}  // namespace coopvk::rewrite
