// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

bool isReady(const SemaphoreValue& wait) {
    const Semaphore& semaphore = *wait.semaphore;
    return semaphore.timeline ? semaphore.value >= wait.value : semaphore.value != 0;
}

// `values` may be shorter: the others are of binary semaphores.
std::vector<SemaphoreValue> semaphores(std::span<const VkSemaphore> all, const uint64_t* values,
                                       uint32_t valueCount) {
    std::vector<SemaphoreValue> result;
    for (uint32_t i = 0; i < all.size(); ++i)
        result.push_back({from<Semaphore>(all[i]), i < valueCount ? values[i] : 0});
    return result;
}

std::vector<SemaphoreValue> semaphores(std::span<const VkSemaphoreSubmitInfo> all) {
    std::vector<SemaphoreValue> result;
    for (const VkSemaphoreSubmitInfo& info : all)
        result.push_back({from<Semaphore>(info.semaphore), info.value});
    return result;
}

Batch batchOf(const VkSubmitInfo& info) {
    const auto* timeline = find<VkTimelineSemaphoreSubmitInfo>(info.pNext);
    const auto values = timeline != nullptr ? *timeline : VkTimelineSemaphoreSubmitInfo{};
    Batch batch;
    batch.waits = semaphores({info.pWaitSemaphores, info.waitSemaphoreCount},
                             values.pWaitSemaphoreValues, values.waitSemaphoreValueCount);
    batch.signals = semaphores({info.pSignalSemaphores, info.signalSemaphoreCount},
                               values.pSignalSemaphoreValues, values.signalSemaphoreValueCount);
    for (const VkCommandBuffer each : std::span(info.pCommandBuffers, info.commandBufferCount))
        batch.commands.push_back(from<CommandBuffer>(each));
    return batch;
}

Batch batchOf(const VkSubmitInfo2& info) {
    Batch batch;
    batch.waits = semaphores({info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount});
    batch.signals = semaphores({info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount});
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
    for (const SemaphoreValue& wait : batch.waits) {
        if (!wait.semaphore->timeline) wait.semaphore->value = 0;
    }
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

}  // namespace coopvk::reference::icd
