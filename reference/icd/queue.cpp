// SPDX-License-Identifier: Apache-2.0
//
// The queue, and fences, semaphores and events, which the device's mutex guards. Commands execute
// one after the other, so barriers do nothing.
#include <algorithm>

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

struct Fence : ObjectOf<VkFence> {
    Fence(Device&, const VkFenceCreateInfo& info)
        : signaled((info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0) {}
    bool signaled;
};

struct Semaphore : ObjectOf<VkSemaphore> {
    Semaphore(Device&, const VkSemaphoreCreateInfo& info) {
        const auto* type = find<VkSemaphoreTypeCreateInfo>(info.pNext);
        if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return;
        timeline = true;
        value = type->initialValue;
    }
    bool timeline = false;
    uint64_t value = 0;  // a binary one that is signaled has 1
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
Batch batchOf(const VkSubmitInfo& info) {
    const auto* given = find<VkTimelineSemaphoreSubmitInfo>(info.pNext);
    const auto timeline = given != nullptr ? *given : VkTimelineSemaphoreSubmitInfo{};
    const std::span waits(timeline.pWaitSemaphoreValues, timeline.waitSemaphoreValueCount);
    const std::span signals(timeline.pSignalSemaphoreValues, timeline.signalSemaphoreValueCount);
    Batch batch;
    for (uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
        batch.waits.push_back({objectOf(info.pWaitSemaphores[i]), i < waits.size() ? waits[i] : 0});
    for (uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
        batch.signals.push_back(
            {objectOf(info.pSignalSemaphores[i]), i < signals.size() ? signals[i] : 0});
    for (const VkCommandBuffer each : std::span(info.pCommandBuffers, info.commandBufferCount))
        batch.commands.push_back(objectOf(each));
    return batch;
}

Batch batchOf(const VkSubmitInfo2& info) {
    Batch batch;
    for (const auto& each : std::span(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount))
        batch.waits.push_back({objectOf(each.semaphore), each.value});
    for (const auto& each : std::span(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount))
        batch.signals.push_back({objectOf(each.semaphore), each.value});
    for (const auto& each : std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
        batch.commands.push_back(objectOf(each.commandBuffer));
    return batch;
}

template <typename Info>
VkResult submitAll(Queue& queue, uint32_t count, const Info* infos, Fence* fence) {
    std::vector<Batch> batches;
    for (const Info& info : std::span(infos, count)) {
        batches.push_back(batchOf(info));
        for (const CommandBuffer* commands : batches.back().commands)
            if (commands->result != VK_SUCCESS)
                return queue.device->refuse("a command buffer is submitted whose recording failed");
    }
    if (fence != nullptr) {
        if (batches.empty()) batches.emplace_back();
        batches.back().fence = fence;
    }
    const VkResult result = queue.device->read([] { return VK_SUCCESS; });
    if (result != VK_SUCCESS) return result;
    return queue.device->change([&] {
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
        device->changed.wait(lock, [&] { return stopping || !batches.empty(); });
        if (batches.empty()) return;
        const Batch batch = std::move(batches.front());
        batches.pop_front();
        busy = true;
        execute(lock, batch);
        busy = false;
        device->changed.notify_all();
    }
}

void Queue::execute(std::unique_lock<std::mutex>& lock, const Batch& batch) {
    device->changed.wait(lock, [&] {
        return stopping || device->lost ||
               std::all_of(batch.waits.begin(), batch.waits.end(), isReady);
    });
    for (const SemaphoreValue& wait : batch.waits)
        if (!wait.semaphore->timeline) wait.semaphore->value = 0;
    for (const CommandBuffer* commands : batch.commands) {
        if (device->lost) break;
        lock.unlock();
        commands->execute();
        lock.lock();
    }
    for (const SemaphoreValue& signal : batch.signals)
        signal.semaphore->value = signal.semaphore->timeline ? signal.value : 1;
    if (batch.fence != nullptr) batch.fence->signaled = true;
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
    for (const VkFence fence : std::span(fences, count)) objectOf(fence)->signaled = false;
    return VK_SUCCESS;
}

VkResult GetFenceStatus(Device& device, Fence* fence) {
    return device.read([&] { return fence->signaled ? VK_SUCCESS : VK_NOT_READY; });
}

VkResult WaitForFences(Device& device, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    const auto signaled = [](VkFence fence) { return objectOf(fence)->signaled; };
    return device.wait(timeout, [&] {
        return all ? std::all_of(fences, fences + count, signaled)
                   : std::any_of(fences, fences + count, signaled);
    });
}

COOPVK_OBJECT(Semaphore)

VkResult GetSemaphoreCounterValue(Device& device, Semaphore* semaphore, uint64_t* value) {
    return device.read([&] {
        *value = semaphore->value;
        return VK_SUCCESS;
    });
}

VkResult WaitSemaphores(Device& device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
    const auto reached = [&](uint32_t i) {
        return objectOf(info->pSemaphores[i])->value >= info->pValues[i];
    };
    const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    return device.wait(timeout, [&] {
        for (uint32_t i = 0; i < info->semaphoreCount; ++i)
            if (reached(i) == any) return any;
        return !any;
    });
}

VkResult SignalSemaphore(Device& device, const VkSemaphoreSignalInfo* info) {
    return device.change([&] { objectOf(info->semaphore)->value = info->value; });
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
    for (const VkEvent event : std::span(events, count)) {
        const auto wait = [event = objectOf(event)](Execution& execution) {
            Device& device = execution.device;
            device.wait(UINT64_MAX, [&] { return device.queue.stopping || event->set; });
        };
        record(commands, wait, objectOf(event));
    }
}
void CmdWaitEvents(CommandBuffer& commands, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags, VkPipelineStageFlags, uint32_t, const VkMemoryBarrier*,
                   uint32_t, const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    CmdWaitEvents2(commands, count, events, nullptr);
}

}  // namespace coopvk::reference::icd
