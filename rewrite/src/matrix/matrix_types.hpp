// SPDX-License-Identifier: Apache-2.0
//
// Which matrix types a module has.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

struct MatrixDimensions {
    uint32_t rows, columns;
    Use use;
    LaneScope scope = LaneScope::kSubgroup;

    bool isOfSubgroup() const { return scope == LaneScope::kSubgroup; }
};

// What a matrix type says of itself; nullopt where that is not constant or not legal.
std::optional<MatrixDimensions> matrixDimensions(const Module& module, const Instruction& type);

// How a matrix with components of so many bits is dealt.
Fragment makeFragment(const LayoutPolicy& policy, const MatrixDimensions& d,
                      uint32_t componentBits);

// Components per invocation under a policy, as far as the type's operands are known constants.
std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType);

// Sets the packs of a type by its fragment, its component, and whether they are words.
void describePacks(MatrixType& matrix, TypeTable& types);

// Fills context.matrices and redefines each type as an array of packs.
void lowerMatrixTypes(MatrixContext& context);

}  // namespace coopvk::rewrite
