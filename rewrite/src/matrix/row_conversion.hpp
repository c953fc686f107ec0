// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: matrices from and to one array in each invocation, where
// lane i has row i (A, accumulator) or column i (B).
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerConstructFromRows(MatrixContext& context, MatrixWriter& writer,
                            const Instruction& construct);
void lowerExtractRows(MatrixContext& context, MatrixWriter& writer, const Instruction& extract);

}  // namespace coopvk::rewrite
