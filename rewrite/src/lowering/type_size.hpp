// SPDX-License-Identifier: Apache-2.0
//
// Sizes of types with an explicit layout.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Bytes from one such value to the next; 0 where the type has no explicit layout, or no end.
// Structures end at multiples of their alignment: that of vectors counts where the structure
// respects it.
uint32_t sizeOfType(const TypeTable& types, Id type);

// The pointer type, or one like it, with an ArrayStride of so many bytes.
Id stridedPointer(TypeTable& types, Id pointerType, uint32_t bytes);

}  // namespace coopvk::rewrite
