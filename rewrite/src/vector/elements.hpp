// SPDX-License-Identifier: Apache-2.0
//
// Component by component: what cooperative vectors have beside other packed types, dynamic indices,
// the extended instructions of GLSL.std.450 (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14), and
// loops for vectors of many packs.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// OpVectorExtractDynamic and OpVectorInsertDynamic.
bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& instruction);
bool lowerVectorElementWise(VectorContext& context, Emitter& emit, const Instruction& instruction);
bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
