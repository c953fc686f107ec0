// SPDX-License-Identifier: Apache-2.0
//
// The pass that turns 4-bit integers (SPV_INTEL_int4) into wider ones.
#pragma once

#include "int4/int4_types.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success no 4-bit type is left; cooperative matrices
// of them have 8-bit components of the same signedness, each of which holds a 4-bit value, and are
// listed in context.matrices.
std::optional<Error> lowerInt4(Int4Context& context);

}  // namespace coopvk::rewrite
