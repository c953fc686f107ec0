// SPDX-License-Identifier: Apache-2.0
//
// Conversions that change the use of a matrix (A, B, accumulator), and so who holds what.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// OpCooperativeMatrixConvertNV, from any use to any, as the rewriter itself makes it.
void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);

// OpFConvert and its like, which may turn an accumulator into an A or B of other components
// (SPV_NV_cooperative_matrix2).
bool lowerConversion(MatrixContext& context, MatrixWriter& writer, Instruction& conversion);

}  // namespace coopvk::rewrite
