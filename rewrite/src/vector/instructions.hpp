// SPDX-License-Identifier: Apache-2.0
//
// Lowering of the instructions of SPV_NV_cooperative_vector, and of core and extended instructions
// on vectors, into `emit`.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& instruction);
// OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV.
void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& instruction);

// Component by component. False: the instruction stays as it is.
// OpVectorExtractDynamic and OpVectorInsertDynamic.
bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& instruction);
bool lowerVectorElementWise(VectorContext& context, Emitter& emit, const Instruction& instruction);
// GLSL.std.450 (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14).
bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
