// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "command_buffer.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "synchronization.hpp"

namespace coopvk::reference::icd {
namespace {

bool isReady(const SemaphoreValue& wait) {
    const Semaphore& semaphore = *wait.semaphore;
    return semaphore.timeline ? semaphore.value >= wait.value : semaphore.value != 0;
}

uint64_t timelineValue(const uint64_t* values, uint32_t count, uint32_t i) {
    return i < count ? values[i] : 0;
}

Batch batchOf(const VkSubmitInfo& info) {
    Batch batch;
    const auto* timeline = find<VkTimelineSemaphoreSubmitInfo>(
        info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkTimelineSemaphoreSubmitInfo values =
        timeline != nullptr ? *timeline : VkTimelineSemaphoreSubmitInfo{};
    for (uint32_t i = 0; i < info.waitSemaphoreCount; ++i) {
        const uint64_t value =
            timelineValue(values.pWaitSemaphoreValues, values.waitSemaphoreValueCount, i);
        batch.waits.push_back({from<Semaphore>(info.pWaitSemaphores[i]), value});
    }
    for (uint32_t i = 0; i < info.commandBufferCount; ++i)
        batch.commands.push_back(from<CommandBuffer>(info.pCommandBuffers[i]));
    for (uint32_t i = 0; i < info.signalSemaphoreCount; ++i) {
        const uint64_t value =
            timelineValue(values.pSignalSemaphoreValues, values.signalSemaphoreValueCount, i);
        batch.signals.push_back({from<Semaphore>(info.pSignalSemaphores[i]), value});
    }
    return batch;
}

Batch batchOf(const VkSubmitInfo2& info) {
    Batch batch;
    for (uint32_t i = 0; i < info.waitSemaphoreInfoCount; ++i) {
        const VkSemaphoreSubmitInfo& wait = info.pWaitSemaphoreInfos[i];
        batch.waits.push_back({from<Semaphore>(wait.semaphore), wait.value});
    }
    for (uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
        batch.commands.push_back(from<CommandBuffer>(info.pCommandBufferInfos[i].commandBuffer));
    for (uint32_t i = 0; i < info.signalSemaphoreInfoCount; ++i) {
        const VkSemaphoreSubmitInfo& signal = info.pSignalSemaphoreInfos[i];
        batch.signals.push_back({from<Semaphore>(signal.semaphore), signal.value});
    }
    return batch;
}

template <typename Info>
VkResult submitAll(VkQueue handle, uint32_t count, const Info* infos, VkFence fence) {
    Queue& queue = *from<Queue>(handle);
    std::vector<Batch> batches;
    for (uint32_t i = 0; i < count; ++i) batches.push_back(batchOf(infos[i]));
    if (fence != VK_NULL_HANDLE) {
        if (batches.empty()) batches.emplace_back();
        batches.back().fence = from<Fence>(fence);
    }
    {
        const std::lock_guard lock(queue.device->mutex);
        if (queue.device->lost) return VK_ERROR_DEVICE_LOST;
    }
    queue.submit(std::move(batches));
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
    return device->wait(UINT64_MAX, [&] { return batches.empty() && !busy; });
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
    for (const SemaphoreValue& wait : batch.waits) {
        if (!wait.semaphore->timeline) wait.semaphore->value = 0;
    }
    for (const CommandBuffer* commands : batch.commands) {
        if (device->lost) break;
        lock.unlock();
        executeCommands(*device, *commands);
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

}  // namespace coopvk::reference::icd
