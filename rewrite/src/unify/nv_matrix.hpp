// SPDX-License-Identifier: Apache-2.0
//
// Turns SPV_NV_cooperative_matrix into SPV_KHR_cooperative_matrix, which later passes expect. Types
// get the role in which products use their values:
//
//   %M = OpTypeCooperativeMatrixNV %f16 %subgroup %c16 %c16
//   %a = OpCooperativeMatrixLoadNV %M %p %stride %rowMajor
//   %d = OpCooperativeMatrixMulAddNV %M %a %b %c
//
//   %MA = OpTypeCooperativeMatrixKHR %f16 %subgroup %c16 %c16 %A, and so on
//   %a = OpCooperativeMatrixLoadKHR %MA %p %layout %stride
//   %d = OpCooperativeMatrixMulAddKHR %MC %a %b %c
#pragma once

#include "ir/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. If an operand of a multiply-add has another role,
// OpCooperativeMatrixConvertNV converts it, which is lowered later.
std::optional<Error> unifyNvMatrices(TypeTable& types);

// OpCooperativeMatrixTransposeNV may also change the component type (SPV_NV_cooperative_matrix2).
// An instruction that does is split, so that no other pass sees one:
//
//   %b = OpCooperativeMatrixTransposeNV %B16 %c32
//
//   %c = OpFConvert %C16 %c32
//   %b = OpCooperativeMatrixTransposeNV %B16 %c

// Specialization constants must be frozen.
std::optional<Error> splitTranspositions(LoweringContext& context);

}  // namespace coopvk::rewrite
