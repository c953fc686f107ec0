// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix types, and types and constants that contain them, as variants with roles
// for their matrices. The first variant keeps the original's id; further ones are copies with its
// names and decorations.
#pragma once

#include "ir/types.hpp"
#include "unify/role_inference.hpp"

namespace coopvk::rewrite {

class TypeVariants {
 public:
    TypeVariants(TypeTable& types, const MatrixLeaves& leaves) : types_(types), leaves_(leaves) {}

    // The variant of a type with these roles; the type itself if it has no matrices.
    Id type(Id original, std::span<const Use> roles);
    // The original of a variant that type() returned.
    Id original(Id variant) const;
    // The variant of a constant or OpUndef with these roles.
    Id constant(Id original, std::span<const Use> roles);
    // Makes variants of types and constants that no function uses: the module may name them.
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
    std::map<Id, Id> originals_;           // by variant, for copies
    std::map<Id, Instruction> constants_;  // the original declarations
};

}  // namespace coopvk::rewrite
