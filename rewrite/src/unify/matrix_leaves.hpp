// SPDX-License-Identifier: Apache-2.0
//
// Where VK_NV_cooperative_matrix types are inside other types. A type's "leaves" are the matrices
// in it, in order: one for a matrix or an array of them, those of all members for a structure,
// those of the pointee for a pointer.
#pragma once

#include <map>

#include "ir/module.hpp"

namespace coopvk::rewrite {

class MatrixLeaves {
 public:
    // Reads the module's types as they are now; later changes to them do not matter.
    explicit MatrixLeaves(const Module& module);

    // Set where a type has more leaves, or nests deeper, than any shader needs.
    const std::optional<Error>& error() const { return error_; }

    // The matrix type of each leaf.
    std::span<const Id> of(Id type) const;

    // What indices (as of OpCompositeExtract or OpAccessChain) into a composite lead to.
    struct Place {
        Id type = 0;
        uint32_t firstLeaf = 0;
        bool isElement = false;  // inside the matrix that is leaf `firstLeaf`
    };
    Place follow(Id composite, std::span<const Operand> indices) const;

    // A type with leaves as it was declared.
    const Instruction* declaration(Id type) const;
    Id pointee(Id pointerType) const;

 private:
    struct Type {
        Instruction declaration;
        std::vector<Id> leaves;
        uint32_t depth = 0;  // of nesting
    };
    uint32_t depthOf(const Instruction& declaration) const;
    std::vector<Id> find(const Instruction& declaration) const;

    const Module& module_;
    std::map<Id, Type> types_;
    std::optional<Error> error_;
};

}  // namespace coopvk::rewrite
