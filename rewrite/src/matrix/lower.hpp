// SPDX-License-Identifier: Apache-2.0
//
// The pass that turns cooperative matrices into core SPIR-V.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success no cooperative matrix is left.
std::optional<Error> lowerMatrices(MatrixContext& context);

}  // namespace coopvk::rewrite
