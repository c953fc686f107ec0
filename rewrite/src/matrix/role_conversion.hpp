// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixConvertNV as the rewriter itself makes it: the same elements in another role
// (A, B, accumulator), dealt to other lanes.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);

}  // namespace coopvk::rewrite
