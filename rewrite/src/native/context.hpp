// SPDX-License-Identifier: Apache-2.0
//
// State of the native back-end: for the module, and for the function that it lowers.
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

    // Only types of several tiles are lowered.
    const PackedType* packed(Id type) const override {
        const TiledType* matrix = plan.type(type);
        return matrix != nullptr && matrix->isTiled() ? matrix : nullptr;
    }
    // Also for matrices of one tile. Tiles are in row-major order.
    std::vector<Id> packsOf(Emitter& emit, const PackedType& type, Id value) override;
    void fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> tiles,
                   Id result) override;

    // The driver supports what the table leaves.
    void checkKept(const Instruction&) override {}

    const TiledType* matrixOfValue(Id value) const { return plan.type(module.def(value).type); }
};

struct NativeFunction : FunctionLowering<NativeContext> {
    using FunctionLowering::FunctionLowering;

    TypeTable& types = context.types;
    std::map<Id, Id> variables = {};  // by matrix type
};

}  // namespace coopvk::rewrite
