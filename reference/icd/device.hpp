// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "instance.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {

struct CommandBuffer;

// Fences, semaphores and events are guarded by the device's mutex.
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

// A semaphore to wait for or to signal; binary ones ignore the value.
struct SemaphoreValue {
    Semaphore* semaphore = nullptr;
    uint64_t value = 0;
};

// One batch of a submission.
struct Batch {
    std::vector<SemaphoreValue> waits;
    std::vector<CommandBuffer*> commands;
    std::vector<SemaphoreValue> signals;
    Fence* fence = nullptr;
};

// The queue executes batches in order on a thread of its own, which the first submission starts.
struct Queue : ObjectOf<VkQueue> {
    Device* device = nullptr;
    std::deque<Batch> batches;  // guarded by the device's mutex, as the next two
    bool busy = false;
    bool stopping = false;
    std::thread thread;

    bool idle() const { return batches.empty() && !busy; }
    void submit(std::vector<Batch> added);
    VkResult waitIdle();
    void stop();

 private:
    void run();
    void execute(std::unique_lock<std::mutex>& lock, const Batch& batch);
};

struct Device : ObjectOf<VkDevice> {
    PhysicalDevice* physical = nullptr;
    ExtensionSet extensions;  // that are enabled
    AddressSpace addresses;
    Queue queue;

    // Guards what host and queue share: fences, semaphores, events, queries, private data.
    std::mutex mutex;
    std::condition_variable changed;
    bool lost = false;

    // Lost, and the queue uses no object any more: the program may destroy them.
    bool gone() const { return lost && queue.idle(); }

    const Settings& settings() const { return physical->settings; }
    // Changes what waiting threads look at.
    template <typename Change>
    void change(const Change& apply) {
        const std::lock_guard lock(mutex);
        apply();
        changed.notify_all();
    }
    void lose() {
        change([&] { lost = true; });
    }
    // What `get` returns, under the mutex; or VK_ERROR_DEVICE_LOST.
    template <typename Get>
    VkResult read(const Get& get) {
        const std::lock_guard lock(mutex);
        const VkResult result = get();
        return gone() ? VK_ERROR_DEVICE_LOST : result;
    }
    // Reports use of the interface that is not valid; returns VK_ERROR_VALIDATION_FAILED.
    VkResult refuse(const std::string& message) const;
    // Waits until ready(), for `timeout` nanoseconds: VK_SUCCESS, VK_TIMEOUT, VK_ERROR_DEVICE_LOST.
    template <typename Ready>
    VkResult wait(uint64_t timeout, const Ready& ready) {
        constexpr uint64_t kForever = uint64_t{1} << 60;
        const auto done = [&] { return gone() || ready(); };
        std::unique_lock lock(mutex);
        if (timeout >= kForever) {
            changed.wait(lock, done);
        } else if (!changed.wait_for(lock, std::chrono::nanoseconds(timeout), done)) {
            return VK_TIMEOUT;
        }
        return gone() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    }
};

}  // namespace coopvk::reference::icd
