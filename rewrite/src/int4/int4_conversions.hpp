// SPDX-License-Identifier: Apache-2.0
//
// Conversions and bitcasts from and to 4-bit integers.
#pragma once

#include "int4/int4_values.hpp"

namespace coopvk::rewrite {

// False if the instruction is none of these. Defines instruction.result otherwise.
bool lowerInt4Conversion(Int4Context& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
