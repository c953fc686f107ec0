// SPDX-License-Identifier: Apache-2.0
//
// Members of composite types, and the way that indices lead through them.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The type that an index into a composite type leads to; 0 where it leads nowhere. Only structures
// need to know which index it is.
Id memberType(const Module& module, Id type, std::optional<uint64_t> index);

// Members of a value of a composite type; nullopt where their number is not known, as for
// cooperative matrices, or the type is none.
std::optional<uint64_t> memberCount(const Module& module, Id type);

// One access chain: indices into `type`, which an untyped chain names itself.
struct ChainStep {
    const Instruction* chain = nullptr;
    Id type = 0;
    std::span<const Operand> indices;
};
ChainStep chainStep(const Module& module, const Instruction& chain);

// The type that the indices of a step lead to, without its last `without` ones; 0 where they lead
// nowhere.
Id typeBehind(const Module& module, const ChainStep& step, size_t without = 0);

// The way of access chains and copies from a variable, or whatever else a pointer starts at.
struct PointerPath {
    Id root = 0;
    std::vector<ChainStep> steps;  // the one from the root first
    bool nonUniform = false;       // the pointer or one on the way is decorated so

    std::vector<Id> indices() const;  // of all steps
};
PointerPath pathTo(const Module& module, Id pointer);
Id rootOf(const Module& module, Id pointer);

// Follows indices (literals, or ids of constants), the operands from `first` on, from `type`.
// Position of the first one that is an index into a type for which `isTarget` is true, and `type`
// becomes that type; nullopt if they lead into none.
template <typename IsTarget>
std::optional<size_t> findIndexInto(const Module& module, Id& type, const Operands& operands,
                                    size_t first, IsTarget isTarget) {
    for (size_t i = first; i < operands.size(); ++i) {
        if (isTarget(type)) return i;
        const Operand& index = operands[i];
        type = memberType(module, type, index.isId ? module.constantValue(index.word) : index.word);
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
