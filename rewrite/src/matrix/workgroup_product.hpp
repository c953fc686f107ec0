// SPDX-License-Identifier: Apache-2.0
//
// Multiply-add of matrices of scope Workgroup. A slice of K at a time, the invocations put A and B
// into shared memory, each component converted once to what the sums are made in; then each
// invocation multiplies its rows of A by its columns of B.
#pragma once

#include "matrix/product.hpp"

namespace coopvk::rewrite {

// Emits the body of function(a, b, c) and finishes it; its id, 0 with context.error.
Id emitWorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                        const Instruction& at);

}  // namespace coopvk::rewrite
