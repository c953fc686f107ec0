// SPDX-License-Identifier: Apache-2.0
#include "fakes/test_allocator.hpp"

#include <algorithm>

#include "heap.hpp"

namespace coopvk::test {

TestAllocator::TestAllocator() {
    callbacks_.pUserData = this;
    callbacks_.pfnAllocation = [](void* self, size_t size, size_t alignment,
                                  VkSystemAllocationScope) -> void* {
        return static_cast<TestAllocator*>(self)->allocate(size, alignment);
    };
    // No driver of these tests reallocates memory.
    callbacks_.pfnReallocation = [](void*, void*, size_t, size_t,
                                    VkSystemAllocationScope) -> void* { return nullptr; };
    callbacks_.pfnFree = [](void* self, void* memory) {
        static_cast<TestAllocator*>(self)->release(memory);
    };
}

void* TestAllocator::allocate(size_t size, size_t alignment) {
    if (!suspended_) {
        if (left_ == 0) {
            failed_ = true;
            return nullptr;
        }
        --left_;
    }
    ++made_;
    ++living_;
    const size_t step = std::max(alignment, alignof(std::max_align_t));
    return takeMemory((size + step - 1) / step * step, step);
}

void TestAllocator::release(void* memory) {
    if (memory == nullptr) return;
    --living_;
    giveMemoryBack(memory);
}

}  // namespace coopvk::test
