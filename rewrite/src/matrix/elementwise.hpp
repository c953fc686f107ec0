// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, conversion and selection on whole matrices, pack by pack.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// False if the opcode is none of these, or takes matrices as they are. Defines
// instruction.result otherwise.
bool lowerElementwise(MatrixContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
