// SPDX-License-Identifier: Apache-2.0
//
// Objects that host and queue share, guarded by the device's mutex.
#pragma once

#include "object.hpp"

namespace coopvk::reference::icd {

struct Fence : ObjectOf<VkFence> {
    Fence(Device&, const VkFenceCreateInfo& info)
        : signaled((info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0) {}
    bool signaled;
};

struct Semaphore : ObjectOf<VkSemaphore> {
    Semaphore(Device& device, const VkSemaphoreCreateInfo& info);
    bool timeline = false;
    uint64_t value = 0;  // a binary one that is signaled has 1
};

struct Event : ObjectOf<VkEvent> {
    using ObjectOf::ObjectOf;
    bool set = false;
};

}  // namespace coopvk::reference::icd
