// SPDX-License-Identifier: Apache-2.0
//
// Members of composite types, and the types and pointers that indices select.
#pragma once

#include "ir/emitter.hpp"
#include "ir/module.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

// The type of a composite type's member; 0 if there is no such member. Types other than structures
// ignore `index`.
Id memberType(const Module& module, Id type, std::optional<uint64_t> index);

// The number of members; nullopt if it is not known, as for cooperative matrices, or the type is
// not composite.
std::optional<uint64_t> memberCount(const Module& module, Id type);

// The types and all arrays and structures that have one of them in them, but behind no pointer.
std::unordered_set<Id> typesWith(const Module& module, std::unordered_set<Id> types);

// Whether types in memory of a storage class have an explicit layout.
bool hasExplicitLayout(spv::StorageClass storage);
// Whether the members of a structure, or the elements of an array, have an explicit layout.
bool isLaidOut(const Module& module, const Instruction& type);

// Constituent `index` of a composite constant; 0 if it has none, as OpConstantNull.
Id constituentOf(const Instruction& constant, uint32_t index);

// One access chain: its indices, and the type that they select from.
struct ChainStep {
    const Instruction* chain = nullptr;
    Id type = 0;
    std::span<const Operand> indices;
};
ChainStep chainStep(const Module& module, const Instruction& chain);

// The type that a step selects, without its last `without` indices; 0 if an index selects nothing.
Id typeBehind(const Module& module, const ChainStep& step, size_t without = 0);

// How access chains and copies lead to a pointer.
struct PointerPath {
    Id root = 0;                   // a variable, or another instruction that gives a pointer
    std::vector<ChainStep> steps;  // from the root to the pointer
    bool nonUniform = false;       // the pointer, or one that it comes from, is NonUniform

    std::vector<Id> indices() const;  // of all steps
};
PointerPath pathTo(const Module& module, Id pointer);
Id rootOf(const Module& module, Id pointer);
// The instruction that gives a value, through OpCopyObject. In a module in which copies form a
// cycle, which only unreachable blocks may have, it is one of these.
const Instruction& behindCopies(const Module& module, Id value);

// Which values a phi may join: not descriptors, nor logical pointers.
class JoinedTypes {
 public:
    explicit JoinedTypes(const Module& module) : module_(module) {}

    bool has(Id type) {
        const auto [known, isNew] = known_.try_emplace(type, false);
        if (!isNew) return known->second;
        const Instruction& def = module_.def(type);
        const bool found = isAlways(def) || (def.opcode == OpTypeArray && has(def.word(0))) ||
                           (def.opcode == OpTypeStruct &&
                            std::ranges::all_of(def.operands, [&](const Operand& member) {
                                return has(member.word);
                            }));
        return known_[type] = found;
    }

 private:
    static bool isAlways(const Instruction& type) {
        return isOneOf(type.opcode, {OpTypeBool, OpTypeInt, OpTypeFloat, OpTypeVector, OpTypeMatrix,
                                     OpTypeCooperativeMatrixKHR, OpTypeCooperativeVectorNV,
                                     OpTypeTensorLayoutNV, OpTypeTensorViewNV}) ||
               (isPointerType(type.opcode) &&
                storageOf(type) == spv::StorageClass::PhysicalStorageBuffer);
    }

    const Module& module_;
    std::unordered_map<Id, bool> known_;
};

// An operand that is an index into a type: a literal, or the id of a constant.
struct IndexInto {
    Id type = 0;
    size_t operand = 0;
};
// The first index of OpCompositeExtract, OpCompositeInsert or an access chain; nullopt for other
// instructions.
std::optional<IndexInto> firstIndex(const Module& module, const Instruction& i);
// The first one into a type for which isTarget(type) is true.
std::optional<IndexInto> indexInto(const Module& module, const Instruction& i,
                                   const std::function<bool(Id type)>& isTarget);

// Indices into memory: whether they have 64 bits (SPV_EXT_shader_64bit_indexing), and their
// constant parts.

// Declares what 64-bit indexing needs if the entry point, the only one, has its execution mode or
// `isRequested`. Without 64-bit integers (`hasInt64`: the device's), indices stay u32.
void declareWideIndices(Module& module, bool isRequested, bool hasInt64);

// The type of indices into memory of a storage class: u64 with 64-bit indexing, and for physical
// pointers if the module has 64-bit integers; else u32.
Id indexType(TypeTable& types, spv::StorageClass storage);
// The same for buffers.
inline Id bufferIndexType(TypeTable& types) {
    return indexType(types, spv::StorageClass::StorageBuffer);
}

// A u32 value as a sum: what differs by invocation or iteration, and a constant.
struct IndexParts {
    Id variable = 0;
    uint32_t constant = 0;
};

// Looks through additions, and through multiplications by constants. Emits at most as many
// instructions as the value has. Many indices of an invocation differ only by the constant, and
// drivers' compilers do not find that behind a division.
IndexParts separateConstant(Emitter& emit, Id value);

// value / divisor if the value is a sum of multiples of the divisor, which are products with
// constants. Such sums do not overflow where they are indices.
std::optional<Id> exactQuotient(Emitter& emit, Id value, uint32_t divisor);

}  // namespace coopvk::rewrite
