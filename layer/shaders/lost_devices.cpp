// SPDX-License-Identifier: Apache-2.0
//
// Remembers and reports that the device was lost after shaders of the program were rewritten.
#include "objects/registry.hpp"
#include "shaders/commands.hpp"

namespace coopvk::layer {
namespace {

VkResult noted(const DeviceContext& device, VkResult result) noexcept {
    if (result != VK_ERROR_DEVICE_LOST) return result;
    if (device.faults != nullptr) device.faults->lost();
    if (device.statistics != nullptr) device.statistics->lost();
    return result;
}

}  // namespace

VkResult queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits,
                     VkFence fence) noexcept {
    const DeviceContext& device = deviceOf(queue);
    return noted(device, device.next.QueueSubmit(queue, count, submits, fence));
}

VkResult queueWaitIdle(VkQueue queue) noexcept {
    const DeviceContext& device = deviceOf(queue);
    return noted(device, device.next.QueueWaitIdle(queue));
}

VkResult deviceWaitIdle(VkDevice handle) noexcept {
    const DeviceContext& device = deviceOf(handle);
    return noted(device, device.next.DeviceWaitIdle(handle));
}

VkResult waitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) noexcept {
    const DeviceContext& device = deviceOf(handle);
    return noted(device, device.next.WaitForFences(handle, count, fences, all, timeout));
}

VkResult getFenceStatus(VkDevice handle, VkFence fence) noexcept {
    const DeviceContext& device = deviceOf(handle);
    return noted(device, device.next.GetFenceStatus(handle, fence));
}

VkResult waitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* info,
                        uint64_t timeout) noexcept {
    const DeviceContext& device = deviceOf(handle);
    const auto next = firstOf(device.next.WaitSemaphores, device.next.WaitSemaphoresKHR);
    return noted(device, next(handle, info, timeout));
}

}  // namespace coopvk::layer
