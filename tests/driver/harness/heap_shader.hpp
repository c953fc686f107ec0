// SPDX-License-Identifier: Apache-2.0
//
// Shaders with a descriptor heap (SPV_EXT_descriptor_heap), for drivers without one.
#pragma once

#include "shader.hpp"

namespace coopvk::test {

// The shader with buffers 0 and 1 of the heap as the two descriptors of kArrayBinding, and without
// the declaration of 64-bit indexing. All accesses to the heap must be OpBufferPointerEXT of a
// chain with one index.
Words heapAsArray(const Words& words);

}  // namespace coopvk::test
