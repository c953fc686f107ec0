// SPDX-License-Identifier: Apache-2.0
//
// Fences, semaphores and events, which the device's mutex guards.
#include "synchronization.hpp"

#include <algorithm>

namespace coopvk::reference::icd {

COOPVK_OBJECT(Fence)

VkResult ResetFences(Device& device, uint32_t count, const VkFence* fences) {
    const std::lock_guard lock(device.mutex);
    for (const VkFence each : listOf(fences, count)) {
        Fence& fence = theObject(each, device);
        require(!fence.isPending, "a submission is going to signal the fence");
        fence.signaled = false;
    }
    return VK_SUCCESS;
}

VkResult GetFenceStatus(Device& device, Fence* fence) {
    return device.read([&] { return fence->signaled ? VK_SUCCESS : VK_NOT_READY; });
}

VkResult WaitForFences(Device& device, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    require(count != 0, "there are no fences to wait for");
    std::vector<std::shared_ptr<Fence>> waited;
    for (const VkFence each : listOf(fences, count)) {
        (void)theObject(each, device);
        waited.push_back(sharedOf(each));
    }
    const auto signaled = [](const auto& fence) { return fence->signaled; };
    return device.wait(timeout, [&] {
        return all ? std::ranges::all_of(waited, signaled) : std::ranges::any_of(waited, signaled);
    });
}

COOPVK_OBJECT(Semaphore)

static Semaphore& timelineOf(const Device& device, VkSemaphore handle) {
    Semaphore& semaphore = theObject(handle, device);
    require(semaphore.timeline, "the semaphore has no timeline");
    return semaphore;
}

VkResult GetSemaphoreCounterValue(Device& device, Semaphore* semaphore, uint64_t* value) {
    (void)timelineOf(device, handleOf(*semaphore));
    return device.read([&] {
        *value = semaphore->value;
        return VK_SUCCESS;
    });
}

VkResult WaitSemaphores(Device& device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
    require(info->semaphoreCount != 0, "there are no semaphores to wait for");
    const auto values = listOf(info->pValues, info->semaphoreCount);
    std::vector<SemaphoreValue> waited;
    for (const VkSemaphore each : listOf(info->pSemaphores, info->semaphoreCount)) {
        (void)timelineOf(device, each);
        waited.push_back({sharedOf(each), values[waited.size()]});
    }
    const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    return device.wait(timeout, [&] {
        return any ? std::ranges::any_of(waited, isReady) : std::ranges::all_of(waited, isReady);
    });
}

VkResult SignalSemaphore(Device& device, const VkSemaphoreSignalInfo* info) {
    Semaphore& semaphore = timelineOf(device, info->semaphore);
    return device.change([&] {
        require(info->value > semaphore.value, "the value is not greater than the semaphore's");
        semaphore.value = info->value;
    });
}

COOPVK_OBJECT(Event)

static VkResult setEvent(Device& device, Event* event, bool set) {
    return device.change([&] { event->set = set; });
}

VkResult GetEventStatus(Device& device, Event* event) {
    return device.read([&] { return event->set ? VK_EVENT_SET : VK_EVENT_RESET; });
}

VkResult SetEvent(Device& device, Event* event) { return setEvent(device, event, true); }
VkResult ResetEvent(Device& device, Event* event) { return setEvent(device, event, false); }

void execution::CmdSetEvent(Execution& execution, Event* event, VkPipelineStageFlags) {
    setEvent(execution.device, event, true);
}
void execution::CmdSetEvent2(Execution& execution, Event* event, const VkDependencyInfo*) {
    setEvent(execution.device, event, true);
}
void execution::CmdResetEvent(Execution& execution, Event* event, VkPipelineStageFlags) {
    setEvent(execution.device, event, false);
}
void execution::CmdResetEvent2(Execution& execution, Event* event, VkPipelineStageFlags2) {
    setEvent(execution.device, event, false);
}

// The host may set an event after the submission.
void CmdWaitEvents2(CommandBuffer& commands, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo*) {
    for (const VkEvent each : listOf(events, count)) {
        const auto wait = [event = &theObject(each)](Execution& execution) {
            Device& device = execution.device;
            device.wait(UINT64_MAX, [&] { return device.stopping || event->set; });
        };
        record(commands, wait, objectOf(each));
    }
}
void CmdWaitEvents(CommandBuffer& commands, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags, VkPipelineStageFlags, uint32_t, const VkMemoryBarrier*,
                   uint32_t, const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    CmdWaitEvents2(commands, count, events, nullptr);
}

}  // namespace coopvk::reference::icd
