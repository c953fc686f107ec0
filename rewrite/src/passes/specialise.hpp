// SPDX-License-Identifier: Apache-2.0
//
// Replaces specialization constants by constants, for all later passes.
#pragma once

#include <functional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Turns OpSpecConstant* into OpConstant* with the pipeline's values or their defaults, and removes
// SpecId. Fails if an entry's size is not that of its constant
// (VUID-VkSpecializationMapEntry-constantID-00776).
std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries);

// Fails if an array has no elements: a specialization constant that is its length may be zero by
// default.
std::optional<Error> checkArrayLengths(const Module& module);

// The number of elements that an invocation holds of a matrix type; nullopt if not yet known.
using MatrixLength = std::function<std::optional<uint32_t>(Id matrixType)>;

// Folds OpSpecConstantOp and composites of constants. Runs again once lengths of matrices are
// known.
void foldSpecConstants(TypeTable& types, const MatrixLength& length);

// Evaluates an OpSpecConstantOp and turns it into an OpConstant* in place. Supports all operations
// on integers and booleans, scalars and vectors, that the Shader capability allows. False if it
// stays: an operand is not yet constant, or it is an operation on floats, which drivers fold.
bool foldSpecConstantOp(TypeTable& types, Instruction& instruction, const MatrixLength& length);

}  // namespace coopvk::rewrite
