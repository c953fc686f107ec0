// SPDX-License-Identifier: Apache-2.0
//
// Freezes the specialization constants of a pipeline, so that every later pass sees constants.
#pragma once

#include "passes/fold_constants.hpp"

namespace coopvk::rewrite {

// OpSpecConstant* become OpConstant* with the values of the pipeline or their defaults, their
// SpecId decorations go. An error where the data has not the size of its constant
// (VUID-VkSpecializationMapEntry-constantID-00776).
std::optional<Error> specialise(TypeTable& types, std::span<const SpecializationEntry> entries);

// Folds OpSpecConstantOp and composites of frozen constants, in order of declaration. Runs again
// once matrix lengths are known.
void foldSpecConstants(TypeTable& types, const MatrixLength& length);

}  // namespace coopvk::rewrite
