// SPDX-License-Identifier: Apache-2.0
//
// Lowers cooperative matrices to core SPIR-V.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success only tiles (tiles/tile_grid.hpp) are left of
// cooperative matrices.
std::optional<Error> lowerMatrices(MatrixContext& context);

}  // namespace coopvk::rewrite
