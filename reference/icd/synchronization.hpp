// SPDX-License-Identifier: Apache-2.0
//
// Fences, semaphores and events, which the device's mutex guards.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

struct Fence : ObjectOf<VkFence> {
    Fence(Device&, const VkFenceCreateInfo& info)
        : signaled((info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0) {}
    bool signaled;
    QueueTimes complete = {};  // by its signal
    bool isPending = false;    // a submission signals it
};

struct Semaphore : ObjectOf<VkSemaphore> {
    Semaphore(Device&, const VkSemaphoreCreateInfo& info) {
        const auto* kind = find<VkSemaphoreTypeCreateInfo>(info.pNext);
        if (kind == nullptr || kind->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return;
        timeline = true;
        value = kind->initialValue;
    }
    bool timeline = false;
    // By value; a binary one has 1. The newest ones: waits for older values are for these.
    std::map<uint64_t, std::shared_ptr<const Signal>> signals;
    uint64_t value = 0;       // a binary one that is signaled has 1
    bool isPromised = false;  // a binary one that the submissions so far leave signaled
};

struct Event : ObjectOf<VkEvent> {
    using ObjectOf::ObjectOf;
    bool set = false;
    std::optional<size_t> queue = {};      // that set it; none: the host
    std::shared_ptr<const Signal> signal;  // that set it; null: nobody checks
};

inline void noteSignal(Semaphore& semaphore, uint64_t value, std::shared_ptr<const Signal> signal) {
    constexpr size_t kMost = 64;
    semaphore.signals[semaphore.timeline ? value : 1] = std::move(signal);
    if (semaphore.signals.size() > kMost) semaphore.signals.erase(semaphore.signals.begin());
}

// The first one with which a wait for the value ends; or null.
inline const Signal* signalOf(const Semaphore& semaphore, uint64_t value) {
    const auto found = semaphore.signals.lower_bound(semaphore.timeline ? value : 1);
    return found != semaphore.signals.end() ? found->second.get() : nullptr;
}

inline bool isReady(const SemaphoreValue& wait) {
    const Semaphore& semaphore = *wait.semaphore;
    return semaphore.timeline ? semaphore.value >= wait.value : semaphore.value != 0;
}

}  // namespace coopvk::reference::icd
