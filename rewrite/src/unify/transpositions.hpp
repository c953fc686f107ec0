// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// OpCooperativeMatrixTransposeNV may also change the component type (SPV_NV_cooperative_matrix2).
// An instruction that does is split into a conversion of the accumulator and a transposition.
// Specialization constants must be frozen.
std::optional<Error> splitTranspositions(LoweringContext& context);

}  // namespace coopvk::rewrite
