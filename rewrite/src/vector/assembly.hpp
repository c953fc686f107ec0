// SPDX-License-Identifier: Apache-2.0
//
// Large vectors that an application assembles out of consecutive elements of an array, each loaded
// by itself. Drivers take long to compile hundreds of loads whose values are all at hand at once,
// or refuse to; a loop reads them instead.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// Ahead of the lowering of a function's blocks.
void lowerLargeConstructs(VectorContext& context, Function& function);

}  // namespace coopvk::rewrite
