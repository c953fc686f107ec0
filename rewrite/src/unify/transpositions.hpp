// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixTransposeNV may also change the component type (SPV_NV_cooperative_matrix2).
// An instruction that does is split, so that no other pass sees one:
//
//   %b = OpCooperativeMatrixTransposeNV %B16 %c32
//
//   %c = OpFConvert %C16 %c32
//   %b = OpCooperativeMatrixTransposeNV %B16 %c
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen.
std::optional<Error> splitTranspositions(LoweringContext& context);

}  // namespace coopvk::rewrite
