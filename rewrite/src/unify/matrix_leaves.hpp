// SPDX-License-Identifier: Apache-2.0
//
// Finds VK_NV_cooperative_matrix types inside other types. The leaves of a type are its matrices,
// in order: one for a matrix or an array of matrices, those of all members for a structure, those
// of the pointee for a pointer.
#pragma once

#include <map>

#include "ir/module.hpp"

namespace coopvk::rewrite {

class MatrixLeaves {
 public:
    // Copies what it needs: later changes to the module's types do not matter.
    explicit MatrixLeaves(const Module& module);

    // Set if a type has too many leaves.
    const std::optional<Error>& error() const { return error_; }

    // The matrix type of each leaf.
    std::span<const Id> of(Id type) const;

    // What indices of OpCompositeExtract, OpAccessChain and so on select from a composite.
    struct Place {
        Id type = 0;
        uint32_t firstLeaf = 0;
        bool isElement = false;  // inside the matrix that is leaf `firstLeaf`
    };
    Place follow(Id composite, std::span<const Operand> indices) const;

    // The original declaration of a type with leaves; nullptr for other types.
    const Instruction* declaration(Id type) const;
    Id pointee(Id pointerType) const;

 private:
    struct Type {
        Instruction declaration;
        std::vector<Id> leaves;
    };
    std::vector<Id> find(const Instruction& declaration) const;

    const Module& module_;
    std::map<Id, Type> types_;
    std::optional<Error> error_;
};

}  // namespace coopvk::rewrite
