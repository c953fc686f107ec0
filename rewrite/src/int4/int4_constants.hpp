// SPDX-License-Identifier: Apache-2.0
//
// Constants of 4-bit types.
#pragma once

#include "int4/int4_types.hpp"

namespace coopvk::rewrite {

// Redefines a constant of 4-bit scalar or vector type in place; others stay as they are.
void lowerInt4Constant(Int4Context& context, Instruction& constant);

}  // namespace coopvk::rewrite
