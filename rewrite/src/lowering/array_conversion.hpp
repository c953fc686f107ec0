// SPDX-License-Identifier: Apache-2.0
//
// One-dimensional arrays of numbers, and what SPV_QCOM_cooperative_matrix_conversion does with
// them.
#pragma once

#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct NumberArray {
    Id type = 0;
    Id element = 0;  // 0: not such an array
    uint32_t length = 0;
};
NumberArray numberArray(const LoweringContext& context, Id type);

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast);
void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract);

}  // namespace coopvk::rewrite
