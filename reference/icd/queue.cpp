// SPDX-License-Identifier: Apache-2.0
//
// The queue. Commands execute one after the other; what orders them is only noted.
#include <algorithm>
#include <map>

#include "dependencies/followed.hpp"
#include "synchronization.hpp"

namespace coopvk::reference::icd {

namespace {

// Binary semaphores need no values.
std::vector<SemaphoreValue> valuesOf(const Device& device, std::span<const VkSemaphore> semaphores,
                                     const uint64_t* values, uint32_t count) {
    const auto given = listOf(values, count);
    std::vector<SemaphoreValue> all;
    for (const VkSemaphore each : semaphores) {
        const bool isTimeline = theObject(each, device).timeline;
        require(!isTimeline || all.size() < given.size(), "a timeline semaphore has no value");
        all.push_back({sharedOf(each), isTimeline ? given[all.size()] : 0,
                       VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT});
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
    const auto stages = listOf(info.pWaitDstStageMask, info.waitSemaphoreCount);
    for (size_t i = 0; i < stages.size(); ++i) batch.waits[i].stages = stages[i];
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
        all.push_back({sharedOf(each.semaphore), each.value, each.stageMask});
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
    reportHostReads(device);
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
        for (Batch& batch : batches) {
            for (const auto& commands : batch.busy) ++commands->pending;
            batch.complete = device.complete;
        }
        if (!batches.empty()) {
            takeHostWrites(device);
            batches.front().fromHost = std::exchange(device.unsent, {});
        }
        for (const auto& [semaphore, isPromised] : promises) semaphore->isPromised = isPromised;
        std::ranges::move(batches, std::back_inserter(queue.batches));
        if (!queue.thread.joinable()) queue.thread = std::thread([&] { queue.run(); });
    });
}

// What the host knew to be complete when it submitted the batch, and what happened before the
// signals for which it waited.
void afterWaits(Device& device, const Batch& batch) {
    Dependencies& dependencies = *device.dependencies;
    dependencies.order().complete(batch.complete);
    for (const auto& each : batch.fromHost) executeHostWrites(device, *each);
    Times ofHost = {};
    ofHost[kHostStage] = dependencies.now();
    dependencies.order().complete(ofHost);
    for (const SemaphoreValue& wait : batch.waits) {
        const Signal* signal = signalOf(*wait.semaphore, wait.value);
        if (signal == nullptr) continue;
        if (signal->fromHost != nullptr) executeHostWrites(device, *signal->fromHost);
        const Scope first = firstScope(
            VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT, kAnyAccess);
        dependencies.apply(*signal, {{first, secondScope(wait.stages, kAnyAccess)}});
    }
}

// Fences and semaphores of Vulkan 1.0 have all commands before them in their first scope.
void noteSignals(const Dependencies& dependencies, const Batch& batch) {
    for (const SemaphoreValue& each : batch.signals) {
        const Scope first = firstScope(each.stages, kAnyAccess);
        noteSignal(*each.semaphore, each.value,
                   std::make_shared<Signal>(dependencies.signal(first)));
    }
    if (batch.fence != nullptr) batch.fence->complete.fill(dependencies.now());
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
    if (device->dependencies) afterWaits(*device, batch);
    for (const auto& commands : batch.commands) {
        if (device->lost || device->stopping) break;
        lock.unlock();
        commands->execute();
        lock.lock();
    }
    for (const auto& commands : batch.busy) --commands->pending;
    noteHostLacks(*device);
    if (device->dependencies) noteSignals(*device->dependencies, batch);
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
    Device& device = *queue.device;
    reportHostReads(device);
    const VkResult result = device.wait(UINT64_MAX, [&] { return queue.idle(); });
    return result != VK_SUCCESS ? result : device.read([&] {
        if (queue.idle() && device.dependencies) {
            Times all = {};
            all.fill(device.dependencies->now());
            device.knowComplete(all);
        }
        return VK_SUCCESS;
    });
}

VkResult DeviceWaitIdle(Device& device) { return QueueWaitIdle(device.queue); }

}  // namespace coopvk::reference::icd
