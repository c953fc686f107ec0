// SPDX-License-Identifier: Apache-2.0
//
// Components of cooperative vectors: construction, extraction, insertion, access chains.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// True if the instruction was lowered into `emit`; false if it is to stay, perhaps with changed
// operands.
bool lowerVectorComposite(VectorContext& context, Emitter& emit, Instruction& instruction);

// All packs of a value, in order.
std::vector<Id> vectorPacks(Emitter& emit, const VectorType& type, Id value);

}  // namespace coopvk::rewrite
