// SPDX-License-Identifier: Apache-2.0
//
// Conversions of matrices that hold 8-bit floats as f16.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// The result has the bits of the operand's components in memory.
void castSmallFloats(Emitter& emit, const Instruction& i, const MatrixType& from,
                     const MatrixType& to);

// Components that are held as f16 are converted from f16. A result is rounded to its format, then
// held as f16.
void convertSmallFloats(MatrixContext& context, Emitter& emit, const Instruction& i,
                        const MatrixType& from, const MatrixType& to);

}  // namespace coopvk::rewrite
