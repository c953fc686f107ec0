// SPDX-License-Identifier: Apache-2.0
//
// Multiply-add whose accumulators are tiles of the driver's own matrices (tile_grid.hpp). A slice
// of K at a time, the invocations put A and B into shared memory, row by row; then each subgroup
// loads its rows of A and columns of B as tiles and multiplies them.
#pragma once

#include "matrix/product.hpp"

namespace coopvk::rewrite {

// Emits the body of function(a, b, c) and finishes it; its id, 0 with context.error.
Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                   const Instruction& at);

}  // namespace coopvk::rewrite
