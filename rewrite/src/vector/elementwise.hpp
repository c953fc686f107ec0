// SPDX-License-Identifier: Apache-2.0
//
// Instructions that work on each component: arithmetic, bits, conversions, OpBitcast and the
// extended instructions of GLSL.std.450 (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14).
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// True if the instruction was lowered into `emit`.
bool lowerVectorElementwise(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
