// SPDX-License-Identifier: Apache-2.0
//
// The C library's memory of any alignment, and how large it is.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace coopvk::test {

// Whoever gives it back does not say which alignment it had: it is in front of the memory.
struct MemoryHead {
    size_t size;
    size_t offset;  // of the memory in what malloc gave
};
static_assert(sizeof(MemoryHead) % alignof(std::max_align_t) == 0);

// `size` is a multiple of `alignment`.
inline void* takeMemory(size_t size, size_t alignment) {
    auto* const start = static_cast<std::byte*>(malloc(size + alignment + sizeof(MemoryHead)));
    if (start == nullptr) return nullptr;
    const size_t behind = reinterpret_cast<size_t>(start) + sizeof(MemoryHead);
    const size_t offset = sizeof(MemoryHead) + (alignment - behind % alignment) % alignment;
    *reinterpret_cast<MemoryHead*>(start + offset - sizeof(MemoryHead)) = {size, offset};
    return start + offset;
}

inline MemoryHead& headOf(void* memory) { return static_cast<MemoryHead*>(memory)[-1]; }
inline size_t sizeOfMemory(void* memory) { return headOf(memory).size; }
inline void giveMemoryBack(void* memory) {
    free(static_cast<std::byte*>(memory) - headOf(memory).offset);
}

}  // namespace coopvk::test
