// SPDX-License-Identifier: Apache-2.0
//
// Copies of decode functions for tensors in a descriptor's buffer. Decode functions take a physical
// pointer. The copy takes a number of bytes in its place, and loads from aliases of the buffer.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The copy of a function whose first parameter is a physical pointer. In its place the copy takes
// the arguments of `place`, and the bytes from the start of the buffer
// (bufferIndexType()). 0, with an error,
// where the function does more with the pointer than load from it and pass it to functions.
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

}  // namespace coopvk::rewrite
