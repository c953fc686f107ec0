// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixTransposeNV.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerTransposition(MatrixContext& context, MatrixWriter& writer, const Instruction& transpose);

}  // namespace coopvk::rewrite
