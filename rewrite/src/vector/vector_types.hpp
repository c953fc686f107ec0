// SPDX-License-Identifier: Apache-2.0
//
// OpTypeCooperativeVectorNV and the constants of such types.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// Redefines every cooperative vector type as an array of packs and lists it in the context.
void lowerVectorTypes(VectorContext& context);

// Rewrites a global constant composite of vector type in place.
void lowerVectorConstant(VectorContext& context, Instruction& constant);

}  // namespace coopvk::rewrite
