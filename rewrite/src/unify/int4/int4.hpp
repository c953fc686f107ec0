// SPDX-License-Identifier: Apache-2.0
//
// Turns 4-bit integers (SPV_INTEL_int4) into wider ones, which later passes expect.
#pragma once

#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. Only component types of cooperative matrices remain
// 4-bit integers: they tell how components lie in memory. The capability Int4CooperativeMatrixINTEL
// remains with them. Values of such components are 8-bit integers of the same signedness.
std::optional<Error> unifyInt4(Int4Context& context);

}  // namespace coopvk::rewrite
