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

namespace {

struct Event : ObjectOf<VkEvent> {
    using ObjectOf::ObjectOf;
    bool set = false;
};

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
        batch.waits.push_back(
            {from<Semaphore>(info.pWaitSemaphores[i]), i < waits.size() ? waits[i] : 0});
    for (uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
        batch.signals.push_back(
            {from<Semaphore>(info.pSignalSemaphores[i]), i < signals.size() ? signals[i] : 0});
    for (const VkCommandBuffer each : std::span(info.pCommandBuffers, info.commandBufferCount))
        batch.commands.push_back(from<CommandBuffer>(each));
    return batch;
}

Batch batchOf(const VkSubmitInfo2& info) {
    Batch batch;
    for (const auto& each : std::span(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount))
        batch.waits.push_back({from<Semaphore>(each.semaphore), each.value});
    for (const auto& each : std::span(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount))
        batch.signals.push_back({from<Semaphore>(each.semaphore), each.value});
    for (const auto& each : std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
        batch.commands.push_back(from<CommandBuffer>(each.commandBuffer));
    return batch;
}

template <typename Info>
VkResult submitAll(VkQueue handle, uint32_t count, const Info* infos, VkFence fence) {
    Queue& queue = *from<Queue>(handle);
    std::vector<Batch> batches;
    for (const Info& info : std::span(infos, count)) {
        batches.push_back(batchOf(info));
        for (const CommandBuffer* commands : batches.back().commands)
            if (commands->result != VK_SUCCESS)
                return queue.device->refuse("a command buffer is submitted whose recording failed");
    }
    if (fence != VK_NULL_HANDLE) {
        if (batches.empty()) batches.emplace_back();
        batches.back().fence = from<Fence>(fence);
    }
    const VkResult result = queue.device->read([] { return VK_SUCCESS; });
    if (result == VK_SUCCESS) queue.submit(std::move(batches));
    return result;
}

VkResult setEvent(Device& device, VkEvent event, bool set) {
    device.change([&] { from<Event>(event)->set = set; });
    return VK_SUCCESS;
}

}  // namespace

void Queue::submit(std::vector<Batch> added) {
    device->change([&] {
        for (Batch& batch : added) batches.push_back(std::move(batch));
        if (!thread.joinable()) thread = std::thread([this] { run(); });
    });
}

VkResult Queue::waitIdle() {
    return device->wait(UINT64_MAX, [&] { return idle(); });
}

void Queue::stop() {
    device->change([&] { stopping = true; });
    if (thread.joinable()) thread.join();
}

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

VkResult QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
    return submitAll(queue, count, infos, fence);
}

VkResult QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
    return submitAll(queue, count, infos, fence);
}

VkResult QueueWaitIdle(VkQueue queue) { return from<Queue>(queue)->waitIdle(); }

VkResult DeviceWaitIdle(VkDevice device) { return from<Device>(device)->queue.waitIdle(); }

COOPVK_OBJECT(Fence)

VkResult ResetFences(VkDevice handle, uint32_t count, const VkFence* fences) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    for (const VkFence fence : std::span(fences, count)) from<Fence>(fence)->signaled = false;
    return VK_SUCCESS;
}

VkResult GetFenceStatus(VkDevice device, VkFence fence) {
    return from<Device>(device)->read(
        [&] { return from<Fence>(fence)->signaled ? VK_SUCCESS : VK_NOT_READY; });
}

VkResult WaitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    const auto signaled = [](VkFence fence) { return from<Fence>(fence)->signaled; };
    return from<Device>(handle)->wait(timeout, [&] {
        return all ? std::all_of(fences, fences + count, signaled)
                   : std::any_of(fences, fences + count, signaled);
    });
}

COOPVK_OBJECT(Semaphore)

VkResult GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
    return from<Device>(device)->read([&] {
        *value = from<Semaphore>(semaphore)->value;
        return VK_SUCCESS;
    });
}

VkResult WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
    const auto reached = [&](uint32_t i) {
        return from<Semaphore>(info->pSemaphores[i])->value >= info->pValues[i];
    };
    const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    return from<Device>(handle)->wait(timeout, [&] {
        for (uint32_t i = 0; i < info->semaphoreCount; ++i)
            if (reached(i) == any) return any;
        return !any;
    });
}

VkResult SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo* info) {
    from<Device>(handle)->change([&] { from<Semaphore>(info->semaphore)->value = info->value; });
    return VK_SUCCESS;
}

COOPVK_OBJECT(Event)

VkResult GetEventStatus(VkDevice device, VkEvent event) {
    return from<Device>(device)->read(
        [&] { return from<Event>(event)->set ? VK_EVENT_SET : VK_EVENT_RESET; });
}

VkResult SetEvent(VkDevice device, VkEvent event) {
    return setEvent(*from<Device>(device), event, true);
}
VkResult ResetEvent(VkDevice device, VkEvent event) {
    return setEvent(*from<Device>(device), event, false);
}

void execution::CmdSetEvent(Execution& execution, VkEvent event, VkPipelineStageFlags) {
    setEvent(execution.device, event, true);
}
void execution::CmdSetEvent2(Execution& execution, VkEvent event, const VkDependencyInfo*) {
    setEvent(execution.device, event, true);
}
void execution::CmdResetEvent(Execution& execution, VkEvent event, VkPipelineStageFlags) {
    setEvent(execution.device, event, false);
}
void execution::CmdResetEvent2(Execution& execution, VkEvent event, VkPipelineStageFlags2) {
    setEvent(execution.device, event, false);
}

// The host may set an event after the submission.
void CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo*) {
    for (const VkEvent event : std::span(events, count)) {
        const auto wait = [event](Execution& execution) {
            Device& device = execution.device;
            device.wait(UINT64_MAX,
                        [&] { return device.queue.stopping || from<Event>(event)->set; });
        };
        record(handle, wait, event);
    }
}
void CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags, VkPipelineStageFlags, uint32_t, const VkMemoryBarrier*,
                   uint32_t, const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    CmdWaitEvents2(handle, count, events, nullptr);
}

}  // namespace coopvk::reference::icd
