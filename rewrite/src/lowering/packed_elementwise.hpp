// SPDX-License-Identifier: Apache-2.0
//
// Element-wise instructions on values in packs: the same instruction on each pack.
#pragma once

#include "lowering/packed.hpp"

namespace coopvk::rewrite {

// An instruction that computes each element of its result from the elements in the same place.
struct ElementWise {
    spv::Op opcode = spv::Op::OpNop;
    Operands head;  // ahead of the values: of OpExtInst, set and instruction
    const PackedType* result = nullptr;
    std::vector<Id> operands;
    std::vector<const PackedType*> types;  // of the operands; nullptr: a scalar for all elements
    ArithmeticDecorations decorations;

    const PackedType& source() const;  // type of the first operand that is no scalar
};

// nullopt where the result is of no packed type, or with an error. `head`: operands ahead of the
// values.
std::optional<ElementWise> elementWise(PackedContext& context, const Instruction& instruction,
                                       size_t head = 0);

// The result's packs from those of each operand (one scalar where it is such), as if all types had
// `count` elements.
std::vector<Id> mapPacks(Emitter& emit, const ElementWise& map, uint32_t count,
                         const std::vector<std::vector<Id>>& operands);

// The same of whole values.
void mapPacks(PackedContext& context, Emitter& emit, const ElementWise& map, Id result);

// Arithmetic, conversions, OpSelect, products with a scalar.
bool lowerElementWise(PackedContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
