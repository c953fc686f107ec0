// SPDX-License-Identifier: Apache-2.0
//
// Conversions between accumulators in tiles and those dealt to invocations (tile_grid.hpp).
#pragma once

#include "ir/function_builder.hpp"
#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// OpCooperativeMatrixConvertNV where one of both types is in tiles.
void lowerTileConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);

}  // namespace coopvk::rewrite
