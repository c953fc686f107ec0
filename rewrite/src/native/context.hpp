// SPDX-License-Identifier: Apache-2.0
//
// What the native back-end knows of its types, and of the function that it lowers.
#pragma once

#include "lowering/opcode_table.hpp"
#include "native/plan.hpp"
#include "native/staging.hpp"

namespace coopvk::rewrite {

struct NativeContext : PackedContext {
    NativeContext(TypeTable& theTypes, const Target& theTarget, NativePlan thePlan,
                  uint32_t subgroups)
        : PackedContext(theTypes, theTarget, "cooperative matrix"),
          plan(std::move(thePlan)),
          staging(*this, subgroups) {}

    NativePlan plan;
    Staging staging;

    // Types of one tile stay what they are.
    const PackedType* packed(Id type) const override {
        const TiledType* matrix = plan.type(type);
        return matrix != nullptr && matrix->isTiled() ? matrix : nullptr;
    }
    // The tiles of any matrix, row by row, and the matrix made of them.
    std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value) override;
    void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> tiles,
                   Id result) override;

    // What nothing lowers, the driver takes.
    void checkKept(const Instruction&) override {}

    const TiledType* matrixOfValue(Id value) const { return plan.type(module.def(value).type); }
};

struct NativeFunction : FunctionLowering<NativeContext> {
    using FunctionLowering::FunctionLowering;

    TypeTable& types = context.types;
    InstructionList variables = {};    // to go to the entry block
    std::map<Id, Id> variableOf = {};  // by matrix type
};

}  // namespace coopvk::rewrite
