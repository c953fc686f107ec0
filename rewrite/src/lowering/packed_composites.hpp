// SPDX-License-Identifier: Apache-2.0
//
// Composite instructions and constants of packed types. The index of an element becomes the index
// of its pack and, if packs hold several elements, an index into the pack. Constituents are put
// into packs. Instructions without packed types stay unchanged.
#pragma once

#include "ir/opcodes.hpp"
#include "lowering/function_writer.hpp"
#include "lowering/packed.hpp"

namespace coopvk::rewrite {

// OpCompositeConstruct and OpCompositeConstructReplicateEXT.
bool lowerPackedConstruct(PackedContext& context, Emitter& emit, const Instruction& construct);
// OpCompositeExtract and OpCompositeInsert.
bool lowerPackedIndices(PackedContext& context, Emitter& emit, Instruction& instruction);
// Access chains, which are changed in place.
bool lowerPackedChain(PackedContext& context, Emitter& emit, Instruction& chain);

template <typename Lowering>
void addPackedComposites(OpcodeTable<Lowering>& table) {
    using enum spv::Op;
    table.template add<lowerPackedConstruct>(
        {OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.template add<lowerPackedIndices>({OpCompositeExtract, OpCompositeInsert});
    table.template add<lowerPackedChain>(kAccessChains);
}

// Changes constants of packed types in place.
void lowerPackedConstants(PackedContext& context);

// Which operand of one of the instructions above is the index into a packed type.
struct PackedIndex {
    const PackedType* type = nullptr;  // nullptr: there is no such operand
    size_t at = 0;                     // number of the operand
};
PackedIndex findPackedIndex(const PackedContext& context, const Instruction& instruction);
// The index in an access chain as an unsigned integer; a constant one is reduced modulo the count.
// 0 and an error if it is not an integer.
Id elementOf(PackedContext& context, Emitter& emit, const Instruction& chain,
             const PackedIndex& index);

// The index of an element's pack, and of the element in it (0: packs hold one element). They have
// the type of `element`, which is an unsigned integer.
struct PackIndices {
    Id pack = 0;
    Id part = 0;
};
PackIndices locate(Emitter& emit, const PackedType& type, Id element);

}  // namespace coopvk::rewrite
