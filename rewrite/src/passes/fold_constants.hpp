// SPDX-License-Identifier: Apache-2.0
//
// Evaluates OpSpecConstantOp on constants: all operations on integers and booleans, scalars and
// vectors, that the Shader capability allows.
#pragma once

#include <functional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// The number of elements that an invocation holds of a matrix type; nullopt if not yet known.
using MatrixLength = std::function<std::optional<uint32_t>(Id matrixType)>;

// Turns an OpSpecConstantOp into an OpConstant* in place. False if it stays: an operand is not yet
// constant, or it is an operation on floats, which drivers fold.
bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length);

}  // namespace coopvk::rewrite
