// SPDX-License-Identifier: Apache-2.0
//
// An application's allocator that counts, and fails when a test wants it to.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace coopvk::test {

class TestAllocator {
 public:
    TestAllocator();
    TestAllocator(const TestAllocator&) = delete;
    TestAllocator& operator=(const TestAllocator&) = delete;

    const VkAllocationCallbacks* callbacks() const { return &callbacks_; }
    // All but the next `allowed` allocations fail.
    void limit(uint64_t allowed) { left_ = allowed; }
    void unlimit() { left_ = std::numeric_limits<uint64_t>::max(); }
    // While suspended, the limit is.
    void suspend(bool suspended) { suspended_ = suspended; }
    bool failed() const { return failed_; }
    int64_t living() const { return living_; }
    uint64_t made() const { return made_; }

 private:
    void* allocate(size_t size, size_t alignment);
    void release(void* memory);

    VkAllocationCallbacks callbacks_ = {};
    uint64_t left_ = std::numeric_limits<uint64_t>::max();
    uint64_t made_ = 0;
    int64_t living_ = 0;
    bool failed_ = false;
    bool suspended_ = false;
};

}  // namespace coopvk::test
