// SPDX-License-Identifier: Apache-2.0
//
// Lowers element-wise instructions on packed values to the same instruction on each pack.
#pragma once

#include "lowering/packed.hpp"

namespace coopvk::rewrite {

// An instruction that computes each element of its result from the same element of its operands.
struct ElementWise {
    spv::Op opcode = spv::Op::OpNop;
    Operands head;  // operands before the values: set and instruction of OpExtInst
    const PackedType* result = nullptr;
    std::vector<Id> operands;
    std::vector<const PackedType*> types;  // of the operands; nullptr: one scalar for all elements
    ArithmeticDecorations decorations;

    const PackedType& source() const;  // type of the first operand that is not a scalar
};

// nullopt if the result has no packed type, or with an error if operands do not fit. `head`: the
// number of operands before the values.
std::optional<ElementWise> elementWise(PackedContext& context, const Instruction& instruction,
                                       size_t head = 0);

// Computes the packs of the result from those of each operand, or its scalar, for the first `count`
// elements.
std::vector<Id> mapPacks(Emitter& emit, const ElementWise& map, uint32_t count,
                         const std::vector<std::vector<Id>>& operands);

// The same for all elements; defines `result`.
void mapPacks(PackedContext& context, Emitter& emit, const ElementWise& map, Id result);

// Lowers arithmetic, conversions, OpSelect and products with a scalar.
bool lowerElementWise(PackedContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
