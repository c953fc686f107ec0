// SPDX-License-Identifier: Apache-2.0
#include "synchronization.hpp"

#include <algorithm>

#include "commands.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {

VkResult CreateFence(VkDevice, const VkFenceCreateInfo* info, const VkAllocationCallbacks*,
                     VkFence* out) {
    return make<Fence>(out, (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0);
}

void DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks* allocator) {
    destroy<Fence>(device, fence, allocator);
}

VkResult ResetFences(VkDevice handle, uint32_t count, const VkFence* fences) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    for (uint32_t i = 0; i < count; ++i) from<Fence>(fences[i])->signaled = false;
    return VK_SUCCESS;
}

VkResult GetFenceStatus(VkDevice handle, VkFence fence) {
    Device& device = *from<Device>(handle);
    const std::lock_guard lock(device.mutex);
    if (device.lost) return VK_ERROR_DEVICE_LOST;
    return from<Fence>(fence)->signaled ? VK_SUCCESS : VK_NOT_READY;
}

VkResult WaitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    const auto signaled = [](VkFence fence) { return from<Fence>(fence)->signaled; };
    return from<Device>(handle)->wait(timeout, [&] {
        return all ? std::all_of(fences, fences + count, signaled)
                   : std::any_of(fences, fences + count, signaled);
    });
}

VkResult CreateSemaphore(VkDevice, const VkSemaphoreCreateInfo* info, const VkAllocationCallbacks*,
                         VkSemaphore* out) {
    const auto* type =
        find<VkSemaphoreTypeCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    if (type == nullptr) return make<Semaphore>(out);
    return make<Semaphore>(out, type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE,
                           type->initialValue);
}

void DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                      const VkAllocationCallbacks* allocator) {
    destroy<Semaphore>(device, semaphore, allocator);
}

VkResult GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t* value) {
    Device& device = *from<Device>(handle);
    const std::lock_guard lock(device.mutex);
    *value = from<Semaphore>(semaphore)->value;
    return device.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
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

VkResult CreateEvent(VkDevice, const VkEventCreateInfo*, const VkAllocationCallbacks*,
                     VkEvent* out) {
    return make<Event>(out);
}

void DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks* allocator) {
    destroy<Event>(device, event, allocator);
}

VkResult GetEventStatus(VkDevice handle, VkEvent event) {
    Device& device = *from<Device>(handle);
    const std::lock_guard lock(device.mutex);
    if (device.lost) return VK_ERROR_DEVICE_LOST;
    return from<Event>(event)->set ? VK_EVENT_SET : VK_EVENT_RESET;
}

VkResult SetEvent(VkDevice handle, VkEvent event) {
    from<Device>(handle)->change([&] { from<Event>(event)->set = true; });
    return VK_SUCCESS;
}

VkResult ResetEvent(VkDevice handle, VkEvent event) {
    from<Device>(handle)->change([&] { from<Event>(event)->set = false; });
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
