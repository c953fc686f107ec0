// SPDX-License-Identifier: Apache-2.0
//
// Lengths of native matrices: drivers know them, but not all as constants. Functions ask for them
// where the module had constants.
#pragma once

#include "native/context.hpp"

namespace coopvk::rewrite {

// The OpSpecConstantOp of each length of a matrix, and of what is computed from those, by its id.
using LengthConstants = std::map<Id, Instruction>;

// Takes lengths, and what is computed from them, out of the constants.
LengthConstants takeLengths(LoweringContext& context);

// Has a function ask for those that it uses.
void readLengths(NativeContext& context, const LengthConstants& lengths, Function& function);

}  // namespace coopvk::rewrite
