// SPDX-License-Identifier: Apache-2.0
//
// Composites of elements in packs: one index to an element becomes one to its pack and, where packs
// hold several, one into that; constituents and constants are put into packs. None of these does
// anything where an instruction concerns no packed type.
#pragma once

#include "ir/opcodes.hpp"
#include "lowering/opcode_table.hpp"
#include "lowering/packed.hpp"

namespace coopvk::rewrite {

// OpCompositeConstruct and OpCompositeConstructReplicateEXT.
bool lowerPackedConstruct(PackedContext& context, Emitter& emit, const Instruction& construct);
// OpCompositeExtract and OpCompositeInsert.
bool lowerPackedIndices(PackedContext& context, Emitter& emit, Instruction& instruction);
// Access chains; always in place.
bool lowerPackedChain(PackedContext& context, Emitter& emit, Instruction& chain);

template <typename Lowering>
void addPackedComposites(OpcodeTable<Lowering>& table) {
    using enum spv::Op;
    table.template add<lowerPackedConstruct>(
        {OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.template add<lowerPackedIndices>({OpCompositeExtract, OpCompositeInsert});
    table.template add<lowerPackedChain>(kAccessChains);
}

// Constants of packed types, in place.
void lowerPackedConstants(PackedContext& context);

// The index into a packed type among the operands of one of the instructions above.
struct PackedIndex {
    const PackedType* type = nullptr;  // nullptr: there is none
    size_t at = 0;                     // which operand it is
};
PackedIndex findPackedIndex(const PackedContext& context, const Instruction& instruction);
// That of an access chain as an unsigned integer, constants below the count. 0 and an error where
// it is no integer.
Id elementOf(PackedContext& context, Emitter& emit, const Instruction& chain,
             const PackedIndex& index);

// Indices of an element's pack and of the element in it, of the type of `element`, an unsigned
// integer. The part is 0 where packs hold one element.
struct PackIndices {
    Id pack = 0;
    Id part = 0;
};
PackIndices locate(Emitter& emit, const PackedType& type, Id element);

}  // namespace coopvk::rewrite
