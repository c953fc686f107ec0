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

void DispatchInputs::retire(const KeptRef& kept, VkResult executed) {
    if (kept->progress != Progress::kSubmitted) return;
    due_.retired.push_back({kept, executed});
    kept->progress = Progress::kOver;
    kept->number = kept->shader->written++;
}

void DispatchInputs::write(KeptDispatch& kept, VkResult executed) noexcept {
    if (!kept.read(executed)) return reportNoMemory();
    const auto isOverwritten = [&] {
        const std::lock_guard lock(mutex_);
        return kept.isOverwritten;
    };
    if (!isOverwritten()) return kept.write(dumps_);
    try {
        dumps_.log().warn("dump_inputs: " + kept.shader->name +
                          ": a dispatch is not kept, since its command buffer was submitted again "
                          "while it was read");
    } catch (...) {
        reportNoMemory();
    }
}

void DispatchInputs::finish(const Due& due) noexcept {
    for (const std::string& line : due.warnings) dumps_.log().warn(line);
    for (const auto& [kept, executed] : due.retired) {
        if (executed) write(*kept, *executed);
    }
}

// Other threads that ask at the same time find nothing to do.
void DispatchInputs::poll() noexcept {
    std::list<Pending> waiting, done;
    track([&](State&) { waiting.swap(pending_); });
    for (auto next = waiting.begin(); next != waiting.end();) {
        const auto one = next++;
        if (one->fence == VK_NULL_HANDLE) continue;
        const VkResult status = driver.next.GetFenceStatus(driver.device, one->fence);
        if (status == VK_NOT_READY) continue;
        // What was copied before the device was lost is still there.
        track([&](State&) {
            for (const KeptRef& kept : one->kept) retire(kept, status);
        });
        driver.next.DestroyFence(driver.device, one->fence, nullptr);
        done.splice(done.end(), waiting, one);
    }
    track([&](State&) { pending_.splice(pending_.end(), waiting); });
}

// The copies of an earlier submission are about to be overwritten.
void DispatchInputs::beforeSubmit(std::span<const VkCommandBuffer> commands) noexcept {
    poll();
    for (VkCommandBuffer buffer : commands) {
        trackCommands(buffer, [&](Recording& state, State&) {
            eachKept(state, [&](const KeptRef& kept) {
                if (kept->progress == Progress::kOver) kept->isOverwritten = true;
                if (kept->progress != Progress::kSubmitted) return;
                if (!state.simultaneous) return retire(kept, VK_SUCCESS);
                kept->progress = Progress::kOver;
                warn(*kept->shader,
                     "a dispatch is not kept, since its command buffer was submitted again while "
                     "the device executed it");
            });
        });
    }
}

// Null if there can be none.
VkFence DispatchInputs::fenceBehind(VkQueue queue) const noexcept {
    const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const auto& next = driver.next;
    VkFence fence = VK_NULL_HANDLE;
    if (next.CreateFence(driver.device, &info, nullptr, &fence) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    if (next.QueueSubmit(queue, 0, nullptr, fence) == VK_SUCCESS) return fence;
    next.DestroyFence(driver.device, fence, nullptr);
    return VK_NULL_HANDLE;
}

void DispatchInputs::afterSubmit(VkQueue queue,
                                 std::span<const VkCommandBuffer> commands) noexcept {
    std::list<Pending> one;  // nothing may fail once there is a fence
    track([&](State& state) {
        Pending& pending = one.emplace_back();
        for (VkCommandBuffer buffer : commands) {
            const auto found = state.commands.find(buffer);
            if (found == state.commands.end()) continue;
            eachKept(found->second, [&](const KeptRef& kept) {
                if (kept->progress != Progress::kRecorded) return;
                kept->submit();
                pending.kept.push_back(kept);
            });
        }
    });
    if (one.empty() || one.front().kept.empty()) return;
    one.front().fence = fenceBehind(queue);
    track([&](State&) { pending_.splice(pending_.end(), one); });
}

void DispatchInputs::retire(Recording& state) {
    eachKept(state, [&](const KeptRef& kept) { retire(kept, VK_SUCCESS); });
    for (const KeptRef& kept : state.kept) {
        if (kept->progress == Progress::kRecorded) --kept->shader->kept;  // never submitted
        kept->progress = Progress::kOver;
    }
    // They may be the last who hold buffers.
    for (std::vector<KeptRef>* list : {&state.kept, &state.executed}) {
        due_.retired.reserve(due_.retired.size() + list->size());
        for (KeptRef& kept : *list) due_.retired.push_back({std::move(kept), {}});
        list->clear();
    }
}

DispatchInputs::~DispatchInputs() {
    poll();
    for (const Pending& pending : pending_) {
        track([&](State&) {
            for (const KeptRef& kept : pending.kept) retire(kept, VK_SUCCESS);
        });
        if (pending.fence != VK_NULL_HANDLE)
            driver.next.DestroyFence(driver.device, pending.fence, nullptr);
    }
    pending_.clear();
    track([&](State& state) {
        for (auto& [buffer, commands] : state.commands) retire(commands);
    });
}

}  // namespace coopvk::layer::inputs
