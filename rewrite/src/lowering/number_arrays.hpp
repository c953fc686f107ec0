// SPDX-License-Identifier: Apache-2.0
//
// The instructions of SPV_QCOM_cooperative_matrix_conversion on one-dimensional arrays of numbers.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

struct NumberArray {
    Id type = 0;
    Id element = 0;  // 0: the type is not such an array
    uint32_t length = 0;
};
NumberArray numberArray(const LoweringContext& context, Id type);

// Whether such an array, or a matrix that becomes one, may have elements of this scalar type: no
// bfloat16 and no 8-bit floats. If not, fails.
bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar);

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast);
void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract);

}  // namespace coopvk::rewrite
