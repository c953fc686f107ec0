// SPDX-License-Identifier: Apache-2.0
//
// Element by element: what composites and element-wise instructions of matrices have that those of
// other packed types have not, open sums (open_sums.hpp) and components of 4 bits.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// OpCompositeExtract, OpCompositeInsert and access chains.
bool lowerMatrixIndices(MatrixContext& context, Emitter& emit, Instruction& instruction);
bool lowerMatrixChain(MatrixContext& context, Emitter& emit, Instruction& chain);
bool lowerMatrixConversion(MatrixContext& context, Emitter& emit, const Instruction& conversion);
void lowerMatrixConstants(MatrixContext& context);

}  // namespace coopvk::rewrite
