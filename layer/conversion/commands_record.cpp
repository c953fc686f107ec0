// SPDX-License-Identifier: Apache-2.0
//
// Commands that change what a matrix conversion must restore (command_state.hpp), on devices that
// emulate conversions. Those of COOPVK_RECORDED_COMMANDS allocate nothing, and end with the next
// layer's command. Layers above may get them by vkGetInstanceProcAddr, so they also come for
// devices that emulate none.
#include <algorithm>
#include <span>

#include "conversion/commands.hpp"
#include "conversion/conversion_kernel.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

bool hasArguments(const DeviceContext& device) {
    return device.conversions != nullptr && device.conversions->arguments.inUse();
}

// Before a command buffer is recorded again, or ends.
void releaseArguments(DeviceContext& device, VkCommandBuffer commands) noexcept {
    CommandState* state = device.states.find(commands);
    if (state != nullptr && state->converts) device.conversions->arguments.release(commands);
}

// Conversions obey no condition, but the dispatches that they become do. A secondary command buffer
// cannot end the condition under which it is executed, so such an execution is refused.
void checkConditions(DeviceContext& device, CommandState& state,
                     std::span<const VkCommandBuffer> secondaries) {
    const bool conditional = !std::holds_alternative<std::monostate>(state.condition);
    for (VkCommandBuffer commands : secondaries) {
        const CommandState* secondary = device.states.find(commands);
        if (secondary == nullptr || !secondary->converts) continue;
        state.converts = true;
        if (!conditional) continue;
        state.failure = VK_ERROR_UNKNOWN;
        device.log().error(
            "vkCmdExecuteCommands: a secondary command buffer with "
            "vkCmdConvertCooperativeVectorMatrixNV cannot be executed under a condition");
    }
}

template <typename Info>
void setCondition(CommandState* state, const Info& info) {
    if (state == nullptr) return;
    Info& condition = state->condition.emplace<Info>(info);
    condition.pNext = nullptr;  // nothing extends it
}

}  // namespace

VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* buffers) {
    DeviceContext& context = deviceOf(device);
    const VkResult result = context.next.AllocateCommandBuffers(device, info, buffers);
    if (result != VK_SUCCESS || context.conversions == nullptr) return result;
    const std::span all(buffers, info->commandBufferCount);
    OnExit undo([&] {
        context.next.FreeCommandBuffers(device, info->commandPool, info->commandBufferCount,
                                        buffers);
        std::fill(all.begin(), all.end(), VkCommandBuffer(VK_NULL_HANDLE));
    });
    for (VkCommandBuffer commands : all) context.states.add(commands, info->commandPool);
    undo.dismiss();
    return VK_SUCCESS;
}

VkResult createQueryPool(VkDevice device, const VkQueryPoolCreateInfo* info,
                         const VkAllocationCallbacks* allocator, VkQueryPool* pool) {
    DeviceContext& context = deviceOf(device);
    if (context.conversions != nullptr && info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS &&
        (info->pipelineStatistics & VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT) !=
            0) {
        context.conversions->isCounted = true;
    }
    return context.next.CreateQueryPool(device, info, allocator, pool);
}

void freeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                        const VkCommandBuffer* buffers) noexcept {
    DeviceContext& context = deviceOf(device);
    if (hasArguments(context)) {
        for (VkCommandBuffer commands : std::span(buffers, count)) {
            if (commands != VK_NULL_HANDLE) releaseArguments(context, commands);
        }
    }
    noThrow(context.next.FreeCommandBuffers)(device, pool, count, buffers);
}

void destroyCommandPool(VkDevice device, VkCommandPool pool,
                        const VkAllocationCallbacks* allocator) noexcept {
    DeviceContext& context = deviceOf(device);
    if (pool != VK_NULL_HANDLE && hasArguments(context))
        context.conversions->arguments.releasePool(pool);
    noThrow(context.next.DestroyCommandPool)(device, pool, allocator);
}

VkResult beginCommandBuffer(VkCommandBuffer commands,
                            const VkCommandBufferBeginInfo* info) noexcept {
    DeviceContext& device = deviceOf(commands);
    if (CommandState* state = device.states.find(commands)) {
        if (state->converts) device.conversions->arguments.release(commands);
        state->forget();
    }
    return noThrow(device.next.BeginCommandBuffer)(commands, info);
}

VkResult endCommandBuffer(VkCommandBuffer commands) noexcept {
    DeviceContext& device = deviceOf(commands);
    const CommandState* state = device.states.find(commands);
    const VkResult failure = state != nullptr ? state->failure : VK_SUCCESS;
    if (failure == VK_SUCCESS) return noThrow(device.next.EndCommandBuffer)(commands);
    const VkResult result = device.next.EndCommandBuffer(commands);
    return result == VK_SUCCESS ? failure : result;
}

void cmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                     VkPipeline pipeline) noexcept {
    DeviceContext& device = deviceOf(commands);
    const bool matters = point == VK_PIPELINE_BIND_POINT_COMPUTE;
    if (CommandState* state = matters ? device.states.find(commands) : nullptr) {
        state->computePipeline = pipeline;
        state->computeShader = VK_NULL_HANDLE;
    }
    noThrow(device.next.CmdBindPipeline)(commands, point, pipeline);
}

void cmdBindShaders(VkCommandBuffer commands, uint32_t count, const VkShaderStageFlagBits* stages,
                    const VkShaderEXT* shaders) noexcept {
    DeviceContext& device = deviceOf(commands);
    for (uint32_t i = 0; i < count; ++i) {
        if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
        CommandState* state = device.states.find(commands);
        if (state == nullptr) break;
        state->computeShader = shaders != nullptr ? shaders[i] : VK_NULL_HANDLE;
        state->computePipeline = VK_NULL_HANDLE;
    }
    noThrow(device.next.CmdBindShadersEXT)(commands, count, stages, shaders);
}

// After secondary command buffers it is undefined what is bound: to bind again what was bound
// before does no harm.
void cmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                        const VkCommandBuffer* secondaries) noexcept {
    DeviceContext& device = deviceOf(commands);
    const auto next = noThrow(device.next.CmdExecuteCommands);
    if (!hasArguments(device)) return next(commands, count, secondaries);
    guarded<"vkCmdExecuteCommands">(commands, [&] {
        CommandState* state = device.states.find(commands);
        if (state != nullptr) checkConditions(device, *state, std::span(secondaries, count));
    });
    next(commands, count, secondaries);
}

void cmdBeginConditionalRendering(VkCommandBuffer commands,
                                  const VkConditionalRenderingBeginInfoEXT* info) noexcept {
    DeviceContext& device = deviceOf(commands);
    setCondition(device.states.find(commands), *info);
    noThrow(device.next.CmdBeginConditionalRenderingEXT)(commands, info);
}

#ifdef VK_KHR_device_address_commands
void cmdBeginConditionalRendering2(VkCommandBuffer commands,
                                   const VkConditionalRenderingBeginInfo2EXT* info) noexcept {
    DeviceContext& device = deviceOf(commands);
    setCondition(device.states.find(commands), *info);
    noThrow(device.next.CmdBeginConditionalRendering2EXT)(commands, info);
}
#endif

void cmdEndConditionalRendering(VkCommandBuffer commands) noexcept {
    DeviceContext& device = deviceOf(commands);
    if (CommandState* state = device.states.find(commands)) state->condition.emplace<0>();
    noThrow(device.next.CmdEndConditionalRenderingEXT)(commands);
}

}  // namespace coopvk::layer
