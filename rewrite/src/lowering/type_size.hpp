// SPDX-License-Identifier: Apache-2.0
//
// Types with an explicit layout: their sizes, and the capabilities that values of them need.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

// The size in bytes, rounded up to the type's alignment; 0 if it has no explicit layout. A runtime
// array counts as one element. Structures have the scalar alignment if a member's offset needs it,
// else the base alignment.
uint32_t sizeOfType(const TypeTable& types, Id type);

// Declares the capabilities of the 8- and 16-bit numbers in a type, as far as the device has them.
// Without these only few instructions may use such values.
void declareNumbersIn(TypeTable& types, const DeviceTraits& device, Id type);

}  // namespace coopvk::rewrite
