// SPDX-License-Identifier: Apache-2.0
//
// Lowers SPV_NV_cooperative_vector to core SPIR-V.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

std::optional<Error> lowerVectors(VectorContext& context);

// ---------------------------------------------------------------------------------------------
// Each of these lowers one instruction into `emit`; false: it concerns no vector and stays.

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& instruction);
// OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV.
void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& instruction);
// OpVectorExtractDynamic, OpVectorInsertDynamic.
bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& instruction);
bool lowerVectorElementWise(VectorContext& context, Emitter& emit, const Instruction& instruction);
// Instructions of GLSL.std.450 (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14).
bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
