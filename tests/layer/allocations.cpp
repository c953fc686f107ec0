// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#define COOPVK_HAS_FEATURE(name) __has_feature(name)  // Clang's
#else
#define COOPVK_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || COOPVK_HAS_FEATURE(address_sanitizer)
#define COOPVK_FINDS_LEAKS 1
#include <sanitizer/lsan_interface.h>
#else
#define COOPVK_FINDS_LEAKS 0
#endif

namespace coopvk::test {
namespace {

thread_local bool limited = false;
thread_local bool spared = false;
thread_local bool failed = false;
thread_local uint64_t left = 0;
thread_local int64_t live = 0;

void* allocate(size_t size, size_t alignment) {
    if (limited && left == 0) {
        failed = true;
        throw std::bad_alloc();
    }
    if (limited) --left;
    const size_t whole = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, whole);
    if (memory == nullptr) throw std::bad_alloc();
#if COOPVK_FINDS_LEAKS
    // What SPIRV-Tools loses then (spared_parser.cpp).
    if (limited && !spared) __lsan_ignore_object(memory);
#endif
    ++live;
    return memory;
}

void release(void* memory) {
    if (memory != nullptr) --live;
    std::free(memory);
}

}  // namespace

int64_t liveAllocations() { return live; }

bool limitsAllocations() { return limited; }
bool sparesParser() { return spared; }

FailingAllocations::FailingAllocations(uint64_t allowed, Parser parser) {
    limited = true;
    spared = parser == Parser::kSpared;
    failed = false;
    left = allowed;
}
FailingAllocations::~FailingAllocations() { limited = spared = false; }
bool FailingAllocations::happened() { return failed; }

SwitchedAllocations::SwitchedAllocations(bool limit) : before_(limited) { limited = limit; }
SwitchedAllocations::~SwitchedAllocations() { limited = before_; }

}  // namespace coopvk::test

using coopvk::test::allocate;
using coopvk::test::release;

void* operator new(size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    try {
        return allocate(size, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](size_t size, const std::nothrow_t& tag) noexcept {
    return operator new(size, tag);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }
