// SPDX-License-Identifier: Apache-2.0
//
// Turns SPV_NV_cooperative_matrix into SPV_KHR_cooperative_matrix, which later passes expect.
#pragma once

#include "ir/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. If an operand of a multiply-add has another role,
// OpCooperativeMatrixConvertNV converts it, which is lowered later.
std::optional<Error> unifyNvMatrices(TypeTable& types);

// OpCooperativeMatrixTransposeNV may also change the component type (SPV_NV_cooperative_matrix2).
// An instruction that does is split into a conversion of the accumulator and a transposition.
// Specialization constants must be frozen.
std::optional<Error> splitTranspositions(LoweringContext& context);

}  // namespace coopvk::rewrite
