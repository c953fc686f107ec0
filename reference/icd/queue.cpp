// SPDX-License-Identifier: Apache-2.0
//
// The queues. Commands execute one after the other; what orders them is only noted.
#include <algorithm>
#include <map>
#include <utility>

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

// What signals a binary semaphore is submitted before what waits for it, whatever their queues
// (VUID-vkQueueSubmit2-semaphore-03873). Promises are kept once the batches are the queue's.
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
            batch.number = device.submitted++;
        }
        if (!batches.empty()) batches.front().fromHost = takeHostWrites(device);
        for (const auto& [semaphore, isPromised] : promises) semaphore->isPromised = isPromised;
        std::ranges::move(batches, std::back_inserter(queue.batches));
        if (!device.thread.joinable()) device.thread = std::thread([&] { device.run(); });
    });
}

// What the host knew to be complete when it submitted the batch, and what happened before the
// signals for which it waited.
void afterWaits(Device& device, const Batch& batch) {
    Dependencies& dependencies = *device.dependencies;
    dependencies.order().complete(batch.complete);
    if (batch.fromHost != nullptr) {
        executeHostWrites(device, *batch.fromHost);
        QueueTimes ofHost = {};
        ofHost[0][kHostStage] = batch.fromHost->now;
        dependencies.order().complete(ofHost);
    }
    for (const SemaphoreValue& wait : batch.waits) {
        const Signal* signal = signalOf(*wait.semaphore, wait.value);
        if (signal == nullptr) continue;
        if (signal->fromHost != nullptr) executeHostWrites(device, *signal->fromHost);
        const Scope first = firstScope(
            VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT, kAnyAccess);
        dependencies.apply(*signal, {{first, scopeOfWait(wait.stages)}});
    }
}

// Fences and semaphores of Vulkan 1.0 have all commands before them in their first scope.
void noteSignals(Queue& queue, const Batch& batch) {
    const Dependencies& dependencies = *queue.device->dependencies;
    for (const SemaphoreValue& each : batch.signals) {
        const Scope first = scopeOfSignal(each.stages);
        noteSignal(*each.semaphore, each.value,
                   std::make_shared<Signal>(dependencies.signal(first)));
    }
    const Signal end = dependencies.signal(
        firstScope(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT, 0));
    queue.complete = end.until();
    if (batch.fence != nullptr) batch.fence->complete = queue.complete;
}

// A binary semaphore that is signaled must not be signaled (VUID-vkQueueSubmit2-semaphore-03868),
// and a timeline goes forward (VUID-VkSubmitInfo2-semaphore-03882). Of queues that nothing orders
// only this one knows.
void signal(Device& device, const SemaphoreValue& each) {
    Semaphore& semaphore = *each.semaphore;
    const bool isWrong = semaphore.timeline ? each.value <= semaphore.value : semaphore.value != 0;
    if (isWrong) {
        const char* const text =
            semaphore.timeline
                ? "a timeline semaphore is signaled with a value that is not greater than its own"
                : "a binary semaphore is signaled that is signaled already, on another queue";
        device.messages.push_back(usageMessage(&semaphore, text));
        device.lost = true;
        return;
    }
    semaphore.value = semaphore.timeline ? each.value : 1;
}

// Of several queues that can go on: that whose batch was submitted first, last, or any of them.
Queue* nextQueue(Device& device) {
    std::vector<Queue*> ready;
    for (Queue& queue : device.queues)
        if (queue.isReady()) ready.push_back(&queue);
    if (ready.empty()) return nullptr;
    std::ranges::sort(ready, {}, [](const Queue* each) { return each->batches.front().number; });
    switch (device.settings().schedule) {
        case Choice::kPlain:
            return ready.front();
        case Choice::kAdversarial:
            return ready.back();
        default:
            return ready[device.random() % ready.size()];
    }
}

}  // namespace

void Device::run() {
    random.seed(uint32_t(settings().seed));
    std::unique_lock lock(mutex);
    executeUntil(lock, [] { return false; });
    for (Queue& queue : queues) queue.batches.clear();
}

void Device::executeUntil(std::unique_lock<std::mutex>& lock, const std::function<bool()>& isDone) {
    while (true) {
        Queue* next = nullptr;
        bool isEnd = false;
        changed.wait(lock, [&] {
            isEnd = stopping || isDone();
            if (!isEnd) next = nextQueue(*this);
            return isEnd || next != nullptr;
        });
        if (isEnd) return;
        next->execute(lock);
        changed.notify_all();
    }
}

void Device::sendMessages(std::unique_lock<std::mutex>& lock) {
    const std::vector<Message> all = std::exchange(messages, {});
    if (all.empty()) return;
    lock.unlock();
    for (const Message& each : all) send(*physical->instance, each);
    lock.lock();
}

bool Queue::isReady() const {
    return !busy && !batches.empty() &&
           (device->lost || std::ranges::all_of(batches.front().waits, icd::isReady));
}

void Queue::execute(std::unique_lock<std::mutex>& lock) {
    const Batch batch = std::move(batches.front());
    batches.pop_front();
    busy = true;
    for (const SemaphoreValue& wait : batch.waits)
        if (!wait.semaphore->timeline) wait.semaphore->value = 0;
    if (device->dependencies) {
        device->dependencies->select(index);
        afterWaits(*device, batch);
        device->sendMessages(lock);
    }
    for (const auto& commands : batch.commands) {
        if (device->lost || device->stopping) break;
        lock.unlock();
        commands->execute(index);
        lock.lock();
    }
    for (const auto& commands : batch.busy) --commands->pending;
    noteHostLacks(*device, index);
    if (device->dependencies) noteSignals(*this, batch);
    for (const SemaphoreValue& each : batch.signals) signal(*device, each);
    device->sendMessages(lock);
    busy = false;
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
        if (queue.idle()) device.knowComplete(queue.complete);
        return VK_SUCCESS;
    });
}

VkResult DeviceWaitIdle(Device& device) {
    reportHostReads(device);
    const VkResult result = device.wait(UINT64_MAX, [&] { return device.idle(); });
    return result != VK_SUCCESS ? result : device.read([&] {
        for (const Queue& queue : device.queues)
            if (queue.idle()) device.knowComplete(queue.complete);
        return VK_SUCCESS;
    });
}

}  // namespace coopvk::reference::icd
