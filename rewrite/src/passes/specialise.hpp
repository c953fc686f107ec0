// SPDX-License-Identifier: Apache-2.0
//
// Replaces specialization constants by constants, for all later passes.
#pragma once

#include "passes/fold_constants.hpp"

namespace coopvk::rewrite {

// Turns OpSpecConstant* into OpConstant* with the pipeline's values or their defaults, and removes
// SpecId. Fails if an entry's size is not that of its constant
// (VUID-VkSpecializationMapEntry-constantID-00776).
std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries);

// Folds OpSpecConstantOp and composites of constants. Runs again once lengths of matrices are
// known.
void foldSpecConstants(TypeTable& types, const MatrixLength& length);

}  // namespace coopvk::rewrite
