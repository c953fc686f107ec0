// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_matrix in terms of SPV_KHR_cooperative_matrix, the form that matrices have in
// the rest of the rewriter.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. Values that multiply-add wants in another role than
// they have pass through OpCooperativeMatrixConvertNV, which the lowering knows.
std::optional<Error> unifyNvMatrices(TypeTable& types);

}  // namespace coopvk::rewrite
