// SPDX-License-Identifier: Apache-2.0
//
// Which matrix types a module has.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

struct MatrixDimensions {
    uint32_t rows, columns;
    Use use;
};

// What a matrix type says of itself; nullopt where that is not constant or not legal.
std::optional<MatrixDimensions> matrixDimensions(const Module& module, const Instruction& type);

// Components per invocation under a policy, as far as the type's operands are known constants.
std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType);

// Fills context.matrices and redefines each type as an array of packs.
void lowerMatrixTypes(MatrixContext& context);

}  // namespace coopvk::rewrite
