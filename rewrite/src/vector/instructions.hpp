// SPDX-License-Identifier: Apache-2.0
//
// Lowering of the instructions of SPV_NV_cooperative_vector: each becomes the call of a helper
// function in `emit`.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& instruction);
// OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV.
void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
