// SPDX-License-Identifier: Apache-2.0
//
// Types with an explicit layout: their sizes, and what values of them need.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

// Bytes from one such value to the next; 0 where the type has no explicit layout. A runtime array
// counts as one element.
// Structures end at multiples of their alignment: that of vectors counts where the structure
// respects it.
uint32_t sizeOfType(const TypeTable& types, Id type);

// Declares, as far as the device has them, the capabilities of numbers of 8 and 16 bits in a type:
// without these, values and pointers of it may hardly be used.
void declareNumbersIn(TypeTable& types, const DeviceTraits& device, Id type);

}  // namespace coopvk::rewrite
