// SPDX-License-Identifier: Apache-2.0
//
// Shaders with a descriptor heap (SPV_EXT_descriptor_heap), for drivers without one.
#pragma once

#include "shader.hpp"

namespace coopvk::test {

// Where the buffers of a heap are: a binding of set 0.
struct HeapArray {
    uint32_t binding = 0;
    uint32_t count = 2;
};

// The shader with the first buffers of the heap as descriptors of the binding, and without the
// declaration of 64-bit indexing. All accesses to the heap must be OpBufferPointerEXT of a chain
// with one index.
Words heapAsArray(const Words& words, const HeapArray& array);

}  // namespace coopvk::test
