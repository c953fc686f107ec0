// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix types, and types and constants made of them, once for each choice of
// roles: the first choice takes over the id of the original, further ones are copies with its names
// and decorations.
#pragma once

#include "ir/types.hpp"
#include "unify/role_inference.hpp"

namespace coopvk::rewrite {

class TypeVariants {
 public:
    TypeVariants(TypeTable& types, const MatrixLeaves& leaves) : types_(types), leaves_(leaves) {}

    // The type with its matrices in these roles; itself where it has no matrices.
    Id type(Id original, std::span<const Use> roles);
    // What a type that type() gave is a variant of.
    Id original(Id variant) const;
    // As type(), for OpConstantNull, OpConstantComposite and so on, and OpUndef.
    Id constant(Id original, std::span<const Use> roles);
    // Gives a meaning to what no function uses, but the module may still name.
    void finish();

 private:
    using Key = std::pair<Id, Roles>;

    bool hasVariant(Id original) const;
    // Adds a variant of key.first.
    Id define(const Key& key, spv::Op opcode, Id type, Operands operands);
    Operands typeOperands(const Instruction& declaration, std::span<const Use> roles);
    Operands constantOperands(const Instruction& declaration, std::span<const Use> roles);

    TypeTable& types_;
    const MatrixLeaves& leaves_;
    std::map<Key, Id> variants_;
    std::map<Id, Id> originals_;           // of copies
    std::map<Id, Instruction> constants_;  // as they were declared
};

}  // namespace coopvk::rewrite
