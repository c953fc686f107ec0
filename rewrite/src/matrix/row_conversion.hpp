// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: matrices from and to one array in each invocation, where
// lane i has row i (A, accumulator) or column i (B); and what that extension does with arrays.
#pragma once

#include "matrix/function_writer.hpp"

namespace coopvk::rewrite {

void lowerConstructFromRows(LoweringContext& context, FunctionWriter& writer,
                            const Instruction& construct);
void lowerExtractRows(LoweringContext& context, FunctionWriter& writer, const Instruction& extract);
void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast);
void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract);

}  // namespace coopvk::rewrite
