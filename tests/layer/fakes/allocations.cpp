// SPDX-License-Identifier: Apache-2.0
#include "fakes/allocations.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "heap.hpp"

namespace coopvk::test {
namespace {

thread_local bool limited = false;
thread_local bool failed = false;
thread_local uint64_t left = 0;
thread_local bool inHandler = false;
thread_local size_t handedBack = 0;  // bytes that the new-handler has freed
thread_local int64_t live = 0;

struct InHandler {
    InHandler() { inHandler = true; }
    ~InHandler() { inHandler = false; }
};

bool isThere(size_t size) {
    if (!limited) return true;
    if (left != 0) {
        --left;
        return true;
    }
    if (size > handedBack) return false;
    handedBack -= size;
    return true;
}

void* allocate(size_t size, size_t alignment) {
    const size_t whole = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
    while (!isThere(whole)) {
        failed = true;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        const InHandler now;
        handler();
    }
    void* memory = takeMemory(whole, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    ++live;
    return memory;
}

void release(void* memory) {
    if (memory == nullptr) return;
    if (inHandler) handedBack += sizeOfMemory(memory);
    --live;
    giveMemoryBack(memory);
}

}  // namespace

int64_t liveAllocations() { return live; }

FailingAllocations::FailingAllocations(uint64_t allowed) {
    limited = true;
    failed = false;
    left = allowed;
    handedBack = 0;
}
FailingAllocations::~FailingAllocations() { limited = false; }
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
