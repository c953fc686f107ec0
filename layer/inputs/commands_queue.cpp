// SPDX-License-Identifier: Apache-2.0
//
// Submissions, and commands by which an application learns that the device has done something.
#include "inputs/commands.hpp"
#include "inputs/inputs_of.hpp"

namespace coopvk::layer::inputs {
namespace {

// `call` between what has to happen before and after a submission of command buffers.
template <typename Submit, typename Call>
VkResult submit(VkQueue queue, uint32_t count, const Submit* submits, const Call& call) {
    DispatchInputs& inputs = inputsOf(queue);
    std::vector<VkCommandBuffer> commands;
    inputs.track([&](State&) {
        for (const Submit& one : std::span(submits, count)) {
            if constexpr (std::is_same_v<Submit, VkSubmitInfo>) {
                commands.insert(commands.end(), one.pCommandBuffers,
                                one.pCommandBuffers + one.commandBufferCount);
            } else {
                for (const auto& info :
                     std::span(one.pCommandBufferInfos, one.commandBufferInfoCount))
                    commands.push_back(info.commandBuffer);
            }
        }
    });
    inputs.beforeSubmit(commands);
    const VkResult result = call();
    if (result == VK_SUCCESS) inputs.afterSubmit(queue, commands);
    return result;
}

template <typename Handle>
VkResult polled(Handle handle, VkResult result) {
    inputsOf(handle).poll();
    return result;
}

}  // namespace

VkResult queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
    const auto next = inputsOf(queue).driver.next.QueueSubmit;
    return submit(queue, count, submits, [&] { return next(queue, count, submits, fence); });
}

VkResult queueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
    const auto next = either(inputsOf(queue), &Table::QueueSubmit2, &Table::QueueSubmit2KHR);
    return submit(queue, count, submits, [&] { return next(queue, count, submits, fence); });
}

VkResult queueWaitIdle(VkQueue queue) {
    return polled(queue, inputsOf(queue).driver.next.QueueWaitIdle(queue));
}

VkResult deviceWaitIdle(VkDevice device) {
    return polled(device, inputsOf(device).driver.next.DeviceWaitIdle(device));
}

VkResult waitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                       uint64_t timeout) {
    return polled(device,
                  inputsOf(device).driver.next.WaitForFences(device, count, fences, all, timeout));
}

VkResult getFenceStatus(VkDevice device, VkFence fence) {
    return polled(device, inputsOf(device).driver.next.GetFenceStatus(device, fence));
}

VkResult waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
    const auto next = either(inputsOf(device), &Table::WaitSemaphores, &Table::WaitSemaphoresKHR);
    return polled(device, next(device, info, timeout));
}

VkResult getSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
    const auto next = either(inputsOf(device), &Table::GetSemaphoreCounterValue,
                             &Table::GetSemaphoreCounterValueKHR);
    return polled(device, next(device, semaphore, value));
}

}  // namespace coopvk::layer::inputs
