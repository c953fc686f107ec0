// SPDX-License-Identifier: Apache-2.0
//
// Decode functions take physical pointers, and the tensor may lie in a descriptor: a copy of such a
// function takes a number of bytes in place of the pointer, and loads from aliases of the buffer.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The copy of a function whose first parameter is such a pointer. It takes, ahead of the other
// parameters: the index of the descriptor where the place has one (of its type), and the bytes from
// the start of the buffer (u32). 0, and an error, where the function does more than to load by the
// pointer, and to pass it on.
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

}  // namespace coopvk::rewrite
