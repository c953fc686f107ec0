// SPDX-License-Identifier: Apache-2.0
//
// When the inputs of dispatches are written: once a fence behind the submission is signalled, which
// is asked whenever the application waits or asks itself; or when the application uses the command
// buffer again, which it may only do once the device has executed it. Nothing here waits, so an
// application that makes the device wait for the host goes on.
#include <algorithm>

#include "inputs/dispatch_inputs.hpp"
#include "report/dump.hpp"

namespace coopvk::layer::inputs {

namespace {

template <typename F>
void eachKept(const Recording& state, const F& f) {
    for (const auto& kept : state.kept) f(kept);
    for (const auto& kept : state.executed) f(kept);
}

}  // namespace

// The device has executed it.
void DispatchInputs::finish(KeptDispatch& kept) noexcept {
    if (kept.progress == Progress::kSubmitted) kept.write(dumps_, VK_SUCCESS);
}

bool DispatchInputs::settle(const Pending& pending) noexcept {
    if (pending.fence == VK_NULL_HANDLE) return false;
    const VkResult status = driver.next.GetFenceStatus(driver.device, pending.fence);
    if (status == VK_NOT_READY) return false;
    // What was copied before the device was lost is still there.
    for (const auto& kept : pending.kept)
        if (kept->progress == Progress::kSubmitted) kept->write(dumps_, status);
    driver.next.DestroyFence(driver.device, pending.fence, nullptr);
    return true;
}

void DispatchInputs::poll() noexcept {
    track([&](State&) {
        std::erase_if(pending_, [&](const Pending& pending) { return settle(pending); });
    });
}

// The copies of an earlier submission are about to be overwritten.
void DispatchInputs::beforeSubmit(std::span<const VkCommandBuffer> commands) noexcept {
    poll();
    for (VkCommandBuffer buffer : commands) {
        trackCommands(buffer, [&](Recording& state, State&) {
            eachKept(state, [&](const auto& kept) {
                if (kept->progress != Progress::kSubmitted) return;
                if (!state.simultaneous) return finish(*kept);
                kept->progress = Progress::kOver;
                dumps_.log().warn("dump_inputs: " + kept->shader->name +
                                  ": a dispatch is not kept, since its command buffer was "
                                  "submitted again while the device executed it");
            });
        });
    }
}

void DispatchInputs::afterSubmit(VkQueue queue,
                                 std::span<const VkCommandBuffer> commands) noexcept {
    Pending pending;
    for (VkCommandBuffer buffer : commands) {
        trackCommands(buffer, [&](Recording& state, State&) {
            eachKept(state, [&](const auto& kept) {
                if (kept->progress != Progress::kRecorded) return;
                kept->submit();
                pending.kept.push_back(kept);
            });
        });
    }
    if (pending.kept.empty()) return;
    track([&](State&) {
        pending_.reserve(pending_.size() + 1);  // nothing may fail once there is a fence
        const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        const auto& next = driver.next;
        if (next.CreateFence(driver.device, &info, nullptr, &pending.fence) == VK_SUCCESS &&
            next.QueueSubmit(queue, 0, nullptr, pending.fence) != VK_SUCCESS) {
            next.DestroyFence(driver.device, pending.fence, nullptr);
            pending.fence = VK_NULL_HANDLE;
        }
        pending_.push_back(std::move(pending));
    });
}

void DispatchInputs::retire(Recording& state) noexcept {
    eachKept(state, [&](const auto& kept) { finish(*kept); });
    for (const auto& kept : state.kept) {
        if (kept->progress == Progress::kRecorded) --kept->shader->kept;  // never submitted
        kept->progress = Progress::kOver;
    }
    state.kept.clear();
    state.executed.clear();
}

DispatchInputs::~DispatchInputs() {
    for (const Pending& pending : pending_) {
        if (settle(pending)) continue;
        for (const auto& kept : pending.kept) finish(*kept);
        if (pending.fence != VK_NULL_HANDLE)
            driver.next.DestroyFence(driver.device, pending.fence, nullptr);
    }
    pending_.clear();
    for (auto& [buffer, commands] : state_.commands) retire(commands);
}

}  // namespace coopvk::layer::inputs
