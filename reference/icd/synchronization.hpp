// SPDX-License-Identifier: Apache-2.0
//
// Objects that host and queue share, guarded by the device's mutex.
#pragma once

#include <span>
#include <vector>

#include "object.hpp"

namespace coopvk::reference::icd {

struct Fence : Object {
    using Handle = VkFence;
    bool signaled = false;
};

struct Semaphore : Object {
    using Handle = VkSemaphore;
    bool timeline = false;
    uint64_t value = 0;  // a binary one that is signaled has 1
};

struct Event : Object {
    using Handle = VkEvent;
    bool set = false;
};

struct Query {
    bool available = false;
    uint64_t value = 0;
};

struct QueryPool : Object {
    using Handle = VkQueryPool;
    std::vector<Query> queries;
};

// The value of a timestamp now, in nanoseconds.
uint64_t timestamp();
// vkGetQueryPoolResults for queries whose values are known.
VkResult writeResults(std::span<const Query> queries, void* data, VkDeviceSize stride,
                      VkQueryResultFlags flags);

}  // namespace coopvk::reference::icd
