// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixMulAddKHR: each lane multiplies its rows of A by its columns of B. One helper
// function for each combination of types.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Appends a call to `out`; it defines mulAdd.result.
void lowerMulAdd(MatrixContext& context, Emitter& emit, const Instruction& mulAdd);

}  // namespace coopvk::rewrite
