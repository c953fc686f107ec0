// SPDX-License-Identifier: Apache-2.0
//
// Matrices as composites: construction, constants, and access to single elements, where one index
// into the matrix becomes an index of a pack and one into it.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// False if the instruction is none of these or needs no change.
bool lowerComposite(MatrixContext& context, Emitter& emit, Instruction& instruction);

// Redefines a constant of matrix type (one constituent for all elements) in place.
void lowerMatrixConstant(MatrixContext& context, Instruction& constant);

}  // namespace coopvk::rewrite
