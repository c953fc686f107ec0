// SPDX-License-Identifier: Apache-2.0
//
// Fences, semaphores and events. Commands execute one after the other, so barriers do nothing.
#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

void recordEvent(VkCommandBuffer handle, VkEvent event, bool set) {
    Event* target = from<Event>(event);
    const auto change = [target, set](Execution& execution) {
        execution.device.change([&] { target->set = set; });
    };
    record(handle, change, target);
}

VkResult setEvent(VkDevice handle, VkEvent event, bool set) {
    from<Device>(handle)->change([&] { from<Event>(event)->set = set; });
    return VK_SUCCESS;
}

}  // namespace

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

Semaphore::Semaphore(Device&, const VkSemaphoreCreateInfo& info) {
    const auto* type = find<VkSemaphoreTypeCreateInfo>(info.pNext);
    if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return;
    timeline = true;
    value = type->initialValue;
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
        for (uint32_t i = 0; i < info->semaphoreCount; ++i) {
            if (reached(i) == any) return any;
        }
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

VkResult SetEvent(VkDevice device, VkEvent event) { return setEvent(device, event, true); }
VkResult ResetEvent(VkDevice device, VkEvent event) { return setEvent(device, event, false); }

void CmdSetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags) {
    recordEvent(handle, event, true);
}
void CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo*) {
    recordEvent(handle, event, true);
}
void CmdResetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags) {
    recordEvent(handle, event, false);
}
void CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2) {
    recordEvent(handle, event, false);
}

// The host may set an event after the submission.
void CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags, VkPipelineStageFlags, uint32_t, const VkMemoryBarrier*,
                   uint32_t, const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    for (const VkEvent each : std::span(events, count)) {
        const Event* event = from<Event>(each);
        const auto wait = [event](Execution& execution) {
            Device& device = execution.device;
            device.wait(UINT64_MAX, [&] { return device.queue.stopping || event->set; });
        };
        record(handle, wait, event);
    }
}
void CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo*) {
    CmdWaitEvents(handle, count, events, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr);
}

}  // namespace coopvk::reference::icd
