// SPDX-License-Identifier: Apache-2.0
//
// Evaluates OpSpecConstantOp on frozen operands: everything on integers and booleans, scalar or
// vector, that the Shader capability allows.
#pragma once

#include <functional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Components per invocation of the matrix type with this id; nullopt while it is not known.
using MatrixLength = std::function<std::optional<uint32_t>(Id matrixType)>;

// Turns the OpSpecConstantOp into an OpConstant* in place. False where it must stay as it is: an
// operand is not constant yet, or the operation is one that drivers fold as well (floats).
bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length);

}  // namespace coopvk::rewrite
