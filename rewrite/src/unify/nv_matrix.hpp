// SPDX-License-Identifier: Apache-2.0
//
// Turns SPV_NV_cooperative_matrix into SPV_KHR_cooperative_matrix, which later passes expect.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. If an operand of a multiply-add has another role,
// OpCooperativeMatrixConvertNV converts it, which is lowered later.
std::optional<Error> unifyNvMatrices(TypeTable& types);

}  // namespace coopvk::rewrite
