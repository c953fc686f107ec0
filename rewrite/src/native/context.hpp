// SPDX-License-Identifier: Apache-2.0
//
// State of the native back-end: for the module, and for the function that it lowers.
#pragma once

#include <functional>

#include "matrix/product_loops.hpp"
#include "native/lower.hpp"
#include "native/small_floats.hpp"

namespace coopvk::rewrite {

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

// In memory; lowerNativeCopy is for OpCopyMemory.
bool lowerNativeLoad(NativeFunction& f, const Instruction& load);
bool lowerNativeStore(NativeFunction& f, const Instruction& store);
bool lowerNativeCopy(NativeFunction& f, const Instruction& copy);
bool lowerNativeUndef(NativeFunction& f, const Instruction& undef);

// Only the driver knows which elements, and how many, an invocation has.
bool lowerNativeLength(NativeFunction& f, const Instruction& length);
bool lowerNativeExtract(NativeFunction& f, const Instruction& extract);
bool lowerNativeInsert(NativeFunction& f, const Instruction& insert);
bool lowerNativeChain(NativeFunction& f, Instruction& chain);  // always in place

// Conversions of use, and between matrices and arrays, through shared memory. reserveStaging()
// reserves it for all of the module.
void reserveStaging(NativeContext& context);
void lowerNativeUse(NativeFunction& f, const Instruction& conversion);
void lowerConstructFromLines(NativeFunction& f, const Instruction& construct);
void lowerExtractLines(NativeFunction& f, const Instruction& extract);

// Lengths of native matrices: drivers know them, but not all support them in OpSpecConstantOp. By
// id: the OpSpecConstantOp of lengths, and of values computed from them.
using LengthConstants = std::map<Id, Instruction>;
// Removes these constants.
LengthConstants takeLengths(NativeContext& context);
// Computes those that a function uses at its start.
void readLengths(NativeContext& context, const LengthConstants& lengths, Function& function);

// Loads and stores of native matrices, one for each tile.

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
