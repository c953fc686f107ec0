// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixReduceNV.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerReduction(MatrixContext& context, MatrixWriter& writer, const Instruction& reduce);

}  // namespace coopvk::rewrite
