// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a multiply-add in one lane: rows of A times columns of B plus C, in the way
// that suits the component types and the device.
#pragma once

#include "ir/function_builder.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Integer components are sign extended where true, else zero extended (Cooperative Matrix
// Operands).
struct Signs {
    bool a = false, b = false, c = false, result = false;
};

// Products a lane may unroll; larger ones loop over the lane's rows, so that code stays bounded.
inline constexpr uint32_t kMostUnrolledInLane = 4096;

struct MulAdd {
    const MatrixType* a = nullptr;
    const MatrixType* b = nullptr;
    const MatrixType* c = nullptr;
    const MatrixType* result = nullptr;
    Signs signs;
    bool saturating = false;
};

// Emits the body of function(a, b, c) and finishes it; its id.
Id emitProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product);

}  // namespace coopvk::rewrite
