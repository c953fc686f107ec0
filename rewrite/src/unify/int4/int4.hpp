// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers (SPV_INTEL_int4) in terms of wider ones, the form that numbers have in the rest of
// the rewriter.
#pragma once

#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success the only 4-bit types left are component types
// of cooperative matrices, which tell how the components lie in memory, as does the capability
// Int4CooperativeMatrixINTEL; values of such components are 8-bit integers of the same signedness.
std::optional<Error> unifyInt4(Int4Context& context);

}  // namespace coopvk::rewrite
