// SPDX-License-Identifier: Apache-2.0
//
// Copies of decode functions for tensors in a descriptor's buffer. Decode functions take a physical
// pointer. The copy takes a number of bytes in its place, and accesses aliases of the buffer:
//
//   before:  decode(block pointer, coordinates...) { return pointer->scale * 2 }
//   after:   decode(bytes from the buffer's start, coordinates...) { return alias[bytes / 4] * 2 }
#pragma once

#include <set>

#include "ir/cloner.hpp"
#include "ir/memory_operands.hpp"
#include "ir/module.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// The copy of a function whose first parameter is a physical pointer. In its place the copy takes
// the arguments of `place`, and the bytes from the start of the buffer (bufferIndexType()). 0, with
// an error, where the function needs the address itself, which no descriptor tells.
Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place);

}  // namespace coopvk::rewrite
