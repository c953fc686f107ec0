// SPDX-License-Identifier: Apache-2.0
//
// Fences, semaphores and events, which the device's mutex guards.
#include "synchronization.hpp"

#include <algorithm>

#include "dependencies/barriers.hpp"
#include "dependencies/followed.hpp"

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
    return device.read([&] {
        if (fence->signaled) device.knowComplete(fence->complete);
        return fence->signaled ? VK_SUCCESS : VK_NOT_READY;
    });
}

VkResult WaitForFences(Device& device, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    require(count != 0, "there are no fences to wait for");
    std::vector<std::shared_ptr<Fence>> waited;
    for (const VkFence each : listOf(fences, count)) {
        (void)theObject(each, device);
        waited.push_back(sharedOf(each));
    }
    reportHostReads(device);
    const auto signaled = [](const auto& fence) { return fence->signaled; };
    return device.wait(timeout, [&] {
        for (const auto& fence : waited)
            if (fence->signaled) device.knowComplete(fence->complete);
        return all ? std::ranges::all_of(waited, signaled) : std::ranges::any_of(waited, signaled);
    });
}

COOPVK_OBJECT(Semaphore)

static Semaphore& timelineOf(const Device& device, VkSemaphore handle) {
    Semaphore& semaphore = theObject(handle, device);
    require(semaphore.timeline, "the semaphore has no timeline");
    return semaphore;
}

static std::shared_ptr<Signal> signalOfHost(Device& device) {
    auto signal = std::make_shared<Signal>();
    signal->complete = device.complete;
    signal->first = firstScope(VK_PIPELINE_STAGE_2_HOST_BIT, kAnyAccess);
    signal->fromHost = takeHostWrites(device);
    return signal;
}

// The host has seen that the semaphore has this value, if it has it.
static void knowSignals(Device& device, const SemaphoreValue& seen) {
    const Signal* signal = isReady(seen) ? signalOf(*seen.semaphore, seen.value) : nullptr;
    if (signal != nullptr) device.knowComplete(signal->until());
}

VkResult GetSemaphoreCounterValue(Device& device, Semaphore* semaphore, uint64_t* value) {
    (void)timelineOf(device, handleOf(*semaphore));
    return device.read([&] {
        *value = semaphore->value;
        knowSignals(device, {{semaphore->self.lock(), semaphore}, *value});
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
        for (const SemaphoreValue& each : waited) knowSignals(device, each);
        return any ? std::ranges::any_of(waited, isReady) : std::ranges::all_of(waited, isReady);
    });
}

VkResult SignalSemaphore(Device& device, const VkSemaphoreSignalInfo* info) {
    Semaphore& semaphore = timelineOf(device, info->semaphore);
    return device.change([&] {
        require(info->value > semaphore.value, "the value is not greater than the semaphore's");
        semaphore.value = info->value;
        const auto signal = signalOfHost(device);
        if (device.dependencies) noteSignal(semaphore, info->value, signal);
    });
}

COOPVK_OBJECT(Event)

static VkResult setEvent(Device& device, Event* event, std::shared_ptr<const Signal> signal,
                         std::optional<size_t> queue = {}) {
    return device.change([&] {
        event->set = true;
        event->queue = queue;
        event->signal = std::move(signal);
    });
}
static VkResult resetEvent(Device& device, Event* event) {
    return device.change([&] {
        event->set = false;
        event->signal = nullptr;
    });
}

VkResult GetEventStatus(Device& device, Event* event) {
    return device.read([&] {
        if (event->signal != nullptr) device.knowComplete(event->signal->until());
        return event->set ? VK_EVENT_SET : VK_EVENT_RESET;
    });
}

VkResult SetEvent(Device& device, Event* event) {
    std::shared_ptr<const Signal> signal;
    device.change([&] { signal = signalOfHost(device); });
    return setEvent(device, event, signal);
}
VkResult ResetEvent(Device& device, Event* event) { return resetEvent(device, event); }

// With what the scopes contain.
static void signalEvent(Execution& execution, Event* event, const Scope& first) {
    const auto& dependencies = execution.device.dependencies;
    setEvent(execution.device, event,
             dependencies ? std::make_shared<Signal>(dependencies->signal(first)) : nullptr,
             execution.queue);
}

void execution::CmdSetEvent(Execution& execution, Event* event, VkPipelineStageFlags stages) {
    signalEvent(execution, event, firstScope(stages, kAnyAccess));
}
void CmdSetEvent2(CommandBuffer& commands, Event* event, const VkDependencyInfo* info) {
    Scope first;
    for (const Barrier& barrier : barriersOf(*info)) {
        first.stages |= barrier.first.stages;
        first.uses |= barrier.first.uses;
    }
    record(
        commands, [event, first](Execution& execution) { signalEvent(execution, event, first); },
        event);
}
void execution::CmdResetEvent(Execution& execution, Event* event, VkPipelineStageFlags) {
    resetEvent(execution.device, event);
}
void execution::CmdResetEvent2(Execution& execution, Event* event, VkPipelineStageFlags2) {
    resetEvent(execution.device, event);
}

// Vulkan allowed the host once to set an event after the submission: after something that another
// queue did, perhaps (today VUID-vkSetEvent-event-09543).
static void waitFor(CommandBuffer& commands, const VkEvent& waited, std::vector<Barrier> barriers) {
    const auto wait = [event = &theObject(waited),
                       barriers = std::move(barriers)](Execution& execution) {
        Device& device = execution.device;
        std::unique_lock lock(device.mutex);
        device.executeUntil(lock, [&] {
            require(!event->set || event->queue.value_or(execution.queue) == execution.queue,
                    "a queue waits for an event that another queue set");
            return device.lost || event->set;
        });
        if (!event->set) throw VK_ERROR_DEVICE_LOST;  // or it stops; nothing more to execute
        const std::shared_ptr<const Signal> signal = event->signal;
        if (!device.dependencies || signal == nullptr) return;
        device.dependencies->select(execution.queue);
        if (signal->fromHost != nullptr) executeHostWrites(device, *signal->fromHost);
        device.sendMessages(lock);
        device.dependencies->apply(*signal, barriers);
    };
    record(commands, wait, objectOf(waited));
}

void CmdWaitEvents2(CommandBuffer& commands, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo* infos) {
    const auto all = listOf(infos, count);
    for (const VkEvent& each : listOf(events, count))
        waitFor(commands, each, barriersOf(all[size_t(&each - events)]));
}
void CmdWaitEvents(CommandBuffer& commands, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags first, VkPipelineStageFlags second, uint32_t memoryCount,
                   const VkMemoryBarrier* memory, uint32_t bufferCount,
                   const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                   const VkImageMemoryBarrier* images) {
    const Barriers1 all{first, second, listOf(memory, memoryCount), listOf(buffers, bufferCount),
                        listOf(images, imageCount)};
    for (const VkEvent& each : listOf(events, count)) waitFor(commands, each, barriersOf(all));
}

}  // namespace coopvk::reference::icd
