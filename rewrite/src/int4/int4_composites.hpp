// SPDX-License-Identifier: Apache-2.0
//
// Composite instructions on vectors of 4-bit integers.
#pragma once

#include "int4/int4_values.hpp"

namespace coopvk::rewrite {

// False if the instruction is none of these or needs no change.
bool lowerInt4Composite(Int4Context& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
