// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorMatrixMulNV and OpCooperativeVectorMatrixMulAddNV.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
