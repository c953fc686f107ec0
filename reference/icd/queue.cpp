// SPDX-License-Identifier: Apache-2.0
//
// The queue, and fences, semaphores and events, which the device's mutex guards. Commands execute
// one after the other, so barriers do nothing.
#include <algorithm>
#include <map>

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

struct Fence : ObjectOf<VkFence> {
    Fence(Device&, const VkFenceCreateInfo& info)
        : signaled((info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0) {}
    bool signaled;
    bool isPending = false;  // a submission signals it
};

struct Semaphore : ObjectOf<VkSemaphore> {
    Semaphore(Device&, const VkSemaphoreCreateInfo& info) {
        const auto* kind = find<VkSemaphoreTypeCreateInfo>(info.pNext);
        if (kind == nullptr || kind->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return;
        timeline = true;
        value = kind->initialValue;
    }
    bool timeline = false;
    uint64_t value = 0;       // a binary one that is signaled has 1
    bool isPromised = false;  // a binary one that the submissions so far leave signaled
};

struct Event : ObjectOf<VkEvent> {
    using ObjectOf::ObjectOf;
    bool set = false;
};

namespace {

bool isReady(const SemaphoreValue& wait) {
    const Semaphore& semaphore = *wait.semaphore;
    return semaphore.timeline ? semaphore.value >= wait.value : semaphore.value != 0;
}

// Binary semaphores need no values.
std::vector<SemaphoreValue> valuesOf(const Device& device, std::span<const VkSemaphore> semaphores,
                                     const uint64_t* values, uint32_t count) {
    const auto given = listOf(values, count);
    std::vector<SemaphoreValue> all;
    for (const VkSemaphore each : semaphores) {
        const bool isTimeline = theObject(each, device).timeline;
        require(!isTimeline || all.size() < given.size(), "a timeline semaphore has no value");
        all.push_back({sharedOf(each), isTimeline ? given[all.size()] : 0});
    }
    return all;
}

std::shared_ptr<CommandBuffer> submitted(const Device& device, VkCommandBuffer handle) {
    (void)theObject(handle, device);
    return sharedOf(handle);
}

Batch batchOf(const Device& device, const VkSubmitInfo& info) {
    const auto* given = find<VkTimelineSemaphoreSubmitInfo>(info.pNext);
    const auto timeline = given != nullptr ? *given : VkTimelineSemaphoreSubmitInfo{};
    Batch batch;
    batch.waits = valuesOf(device, listOf(info.pWaitSemaphores, info.waitSemaphoreCount),
                           timeline.pWaitSemaphoreValues, timeline.waitSemaphoreValueCount);
    batch.signals = valuesOf(device, listOf(info.pSignalSemaphores, info.signalSemaphoreCount),
                             timeline.pSignalSemaphoreValues, timeline.signalSemaphoreValueCount);
    for (const VkCommandBuffer each : listOf(info.pCommandBuffers, info.commandBufferCount))
        batch.commands.push_back(submitted(device, each));
    return batch;
}

std::vector<SemaphoreValue> valuesOf(const Device& device, const VkSemaphoreSubmitInfo* infos,
                                     uint32_t count) {
    std::vector<SemaphoreValue> all;
    for (const VkSemaphoreSubmitInfo& each : listOf(infos, count)) {
        (void)theObject(each.semaphore, device);
        all.push_back({sharedOf(each.semaphore), each.value});
    }
    return all;
}

Batch batchOf(const Device& device, const VkSubmitInfo2& info) {
    Batch batch;
    batch.waits = valuesOf(device, info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount);
    batch.signals = valuesOf(device, info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount);
    for (const auto& each : listOf(info.pCommandBufferInfos, info.commandBufferInfoCount))
        batch.commands.push_back(submitted(device, each.commandBuffer));
    return batch;
}

// The device has one queue, so nothing later can signal a binary semaphore for which it waits.
// Promises are kept once the batches are the queue's.
std::map<Semaphore*, bool> promisesOf(std::span<const Batch> batches) {
    std::map<Semaphore*, bool> promises;
    const auto change = [&](const std::vector<SemaphoreValue>& all, bool to, const char* wrong) {
        for (const SemaphoreValue& each : all) {
            Semaphore* const semaphore = each.semaphore.get();
            if (semaphore->timeline) continue;
            bool& promised = promises.try_emplace(semaphore, semaphore->isPromised).first->second;
            require(promised != to, wrong);
            promised = to;
        }
    };
    for (const Batch& batch : batches) {
        change(batch.waits, false, "a binary semaphore is waited for that nothing signals");
        change(batch.signals, true, "a binary semaphore is signaled that is signaled already");
    }
    return promises;
}

template <typename Info>
VkResult submitAll(Queue& queue, uint32_t count, const Info* infos, Fence* fence) {
    Device& device = *queue.device;
    std::vector<Batch> batches;
    for (const Info& info : listOf(infos, count)) {
        Batch& batch = batches.emplace_back(batchOf(device, info));
        for (const auto& commands : batch.commands) {
            require(commands->isPrimary, "a secondary command buffer is submitted");
            commands->requireExecutable();
            commands->addTo(batch.busy);
        }
    }
    if (fence != nullptr) {
        if (batches.empty()) batches.emplace_back();
        batches.back().fence = {fence->self.lock(), fence};
    }
    std::map<Semaphore*, bool> promises;
    const VkResult result = device.read([&] {
        promises = promisesOf(batches);
        require(fence == nullptr || (!fence->signaled && !fence->isPending),
                "the fence is signaled, or another submission signals it");
        return VK_SUCCESS;
    });
    if (result != VK_SUCCESS) return result;
    return device.change([&] {
        if (fence != nullptr) fence->isPending = true;
        for (const Batch& batch : batches)
            for (const auto& commands : batch.busy) ++commands->pending;
        for (const auto& [semaphore, isPromised] : promises) semaphore->isPromised = isPromised;
        std::ranges::move(batches, std::back_inserter(queue.batches));
        if (!queue.thread.joinable()) queue.thread = std::thread([&] { queue.run(); });
    });
}

VkResult setEvent(Device& device, Event* event, bool set) {
    return device.change([&] { event->set = set; });
}

}  // namespace

void Queue::run() {
    std::unique_lock lock(device->mutex);
    while (true) {
        device->changed.wait(lock, [&] { return device->stopping || !batches.empty(); });
        if (batches.empty() || device->stopping) break;
        const Batch batch = std::move(batches.front());
        batches.pop_front();
        busy = true;
        execute(lock, batch);
        busy = false;
        device->changed.notify_all();
    }
    batches.clear();
}

void Queue::execute(std::unique_lock<std::mutex>& lock, const Batch& batch) {
    device->changed.wait(lock, [&] {
        return device->stopping || device->lost ||
               std::all_of(batch.waits.begin(), batch.waits.end(), isReady);
    });
    for (const SemaphoreValue& wait : batch.waits)
        if (!wait.semaphore->timeline) wait.semaphore->value = 0;
    for (const auto& commands : batch.commands) {
        if (device->lost || device->stopping) break;
        lock.unlock();
        commands->execute();
        lock.lock();
    }
    for (const auto& commands : batch.busy) --commands->pending;
    for (const SemaphoreValue& signal : batch.signals)
        signal.semaphore->value = signal.semaphore->timeline ? signal.value : 1;
    if (batch.fence == nullptr) return;
    batch.fence->signaled = true;
    batch.fence->isPending = false;
}

VkResult QueueSubmit(Queue& queue, uint32_t count, const VkSubmitInfo* infos, Fence* fence) {
    return submitAll(queue, count, infos, fence);
}

VkResult QueueSubmit2(Queue& queue, uint32_t count, const VkSubmitInfo2* infos, Fence* fence) {
    return submitAll(queue, count, infos, fence);
}

VkResult QueueWaitIdle(Queue& queue) {
    return queue.device->wait(UINT64_MAX, [&] { return queue.idle(); });
}

VkResult DeviceWaitIdle(Device& device) { return QueueWaitIdle(device.queue); }

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
