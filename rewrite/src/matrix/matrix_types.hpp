// SPDX-License-Identifier: Apache-2.0
//
// The matrix types of a module.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

struct MatrixDimensions {
    uint32_t rows, columns;
    Use use;
    LaneScope scope = LaneScope::kSubgroup;

    bool isOfSubgroup() const { return scope == LaneScope::kSubgroup; }
};

// The constant operands of a matrix type; nullopt where they are not constant, or not valid.
std::optional<MatrixDimensions> matrixDimensions(const Module& module, const Instruction& type);

// How a matrix whose components are held in `componentBits` bits is distributed.
Fragment makeFragment(const LayoutPolicy& policy, const MatrixDimensions& d,
                      uint32_t componentBits);
// The same for a matrix type of the module.
Fragment fragmentOf(const LayoutPolicy& policy, Id type, const MatrixDimensions& d,
                    uint32_t componentBits);

// Components of a matrix in an invocation; nullopt where the type's operands are not constant, or
// the component type has no number format.
std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType);

// Sets count, packWidth, packStep and pack of a type, by its fragment, component and words.
void describePacks(MatrixType& matrix, TypeTable& types);

// The type with the size, use and scope of `from` and components of another format: it is declared
// unless the module has it.
const MatrixType& typeWith(MatrixContext& context, const MatrixType& from, Id format,
                           const Number& number);

// Fills context.matrices, and redefines each matrix type as an array of packs.
void lowerMatrixTypes(MatrixContext& context);

}  // namespace coopvk::rewrite
