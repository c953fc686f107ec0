// SPDX-License-Identifier: Apache-2.0
//
// The C library's memory of any alignment, and how large it is.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>

namespace coopvk::test {

// `size` is a multiple of `alignment`.
inline void* takeMemory(size_t size, size_t alignment) {
    return std::aligned_alloc(alignment, size);
}
inline size_t sizeOfMemory(void* memory) { return malloc_usable_size(memory); }
inline void giveMemoryBack(void* memory) { std::free(memory); }

}  // namespace coopvk::test
