// SPDX-License-Identifier: Apache-2.0
//
// Members of composite types, and the types and pointers that indices select.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The type of a composite type's member; 0 if there is no such member. Types other than structures
// ignore `index`.
Id memberType(const Module& module, Id type, std::optional<uint64_t> index);

// The number of members; nullopt if it is not known, as for cooperative matrices, or the type is
// not composite.
std::optional<uint64_t> memberCount(const Module& module, Id type);

// The types and all arrays and structures that have one of them in them, but behind no pointer.
std::unordered_set<Id> typesWith(const Module& module, std::unordered_set<Id> types);

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

}  // namespace coopvk::rewrite
