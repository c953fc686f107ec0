// SPDX-License-Identifier: Apache-2.0
//
// The objects of the fake driver, each with memory from the application's allocator if it has one.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <map>

namespace coopvk::test {

template <typename Handle>
uint64_t numberOf(Handle handle) {
    return reinterpret_cast<uint64_t>(handle);
}

class FakeObjects {
 public:
    // False if the allocator has no memory.
    bool make(uint64_t handle, const VkAllocationCallbacks* allocator);
    // Must get an allocator exactly if the object was made with one.
    void destroy(uint64_t handle, const VkAllocationCallbacks* allocator);

    bool has(uint64_t handle) const { return memory_.contains(handle); }
    size_t living() const { return memory_.size(); }
    // Objects that were destroyed without having been made, or with an allocator only at one of the
    // two times.
    uint32_t mistakes() const { return mistakes_; }

 private:
    std::map<uint64_t, void*> memory_;  // null without an allocator
    uint32_t mistakes_ = 0;
};

}  // namespace coopvk::test
