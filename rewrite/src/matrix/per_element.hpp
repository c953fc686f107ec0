// SPDX-License-Identifier: Apache-2.0
//
// Instructions that know the row and the column of each element: OpCooperativeMatrixPerElementOpNV
// calls a function for each that the invocation holds, OpCooperativeMatrixGetCoordinateEXT says
// them for one.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerPerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call);
void lowerGetCoordinate(MatrixContext& context, MatrixWriter& writer, const Instruction& query);

}  // namespace coopvk::rewrite
