// SPDX-License-Identifier: Apache-2.0
//
// Constant folding: one evaluation of instructions and of OpSpecConstantOp.
#pragma once

#include <functional>
#include <optional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// The number of elements that an invocation holds of a matrix type; nullopt if not yet known.
using MatrixLength = std::function<std::optional<uint32_t>(Id matrixType)>;

// Evaluates an OpSpecConstantOp and turns it into an OpConstant* in place. Supports all operations
// that the Shader capability allows, on scalars and vectors. False if it stays: an operand is not
// yet constant.
bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length);

// The constant that an instruction computes from constants, if it is one of these operations or
// OpBitcast, on numbers.
std::optional<Id> folded(TypeTable& types, const Instruction& i);

}  // namespace coopvk::rewrite
