// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorOuterProductAccumulateNV and OpCooperativeVectorReduceSumAccumulateNV.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
