// SPDX-License-Identifier: Apache-2.0
//
// Commands that change what a matrix conversion must restore (command_state.hpp), on devices that
// emulate conversions. Each calls the next layer first, so no command is lost if there is no memory
// to keep its state.
#include <span>

#include "command_state.hpp"
#include "commands.hpp"
#include "guard.hpp"
#include "pnext.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

// Whether a secondary command buffer begins with the descriptor heaps of the primary.
bool inheritsHeaps([[maybe_unused]] const VkCommandBufferInheritanceInfo* info) {
#ifdef VK_EXT_descriptor_heap
    const auto* heaps =
        info == nullptr
            ? nullptr
            : findNode<VkCommandBufferInheritanceDescriptorHeapInfoEXT>(
                  info->pNext,
                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT);
    return heaps != nullptr &&
           (heaps->pSamplerHeapBindInfo != nullptr || heaps->pResourceHeapBindInfo != nullptr);
#else
    return false;
#endif
}

// Conversions obey no condition, but the dispatches that they become do. A secondary command buffer
// cannot end the condition under which it is executed, so such an execution is refused.
void checkConditions(CommandState& state, std::span<const VkCommandBuffer> secondaries) {
    const bool conditional = !std::holds_alternative<std::monostate>(state.condition);
    for (VkCommandBuffer commands : secondaries) {
        const auto secondary = commandStates().find(commands);
        if (secondary == nullptr || !secondary->converts) continue;
        state.converts = true;
        if (!conditional) continue;
        state.device->log().error(
            "vkCmdExecuteCommands: a secondary command buffer with "
            "vkCmdConvertCooperativeVectorMatrixNV cannot be executed under a condition");
        state.failure = VK_ERROR_UNKNOWN;
    }
}

}  // namespace

VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* buffers) {
    const auto context = devices().find(device);
    const VkResult result = context->next.AllocateCommandBuffers(device, info, buffers);
    if (result != VK_SUCCESS) return result;
    const std::span all(buffers, info->commandBufferCount);
    OnExit undo([&] {
        for (VkCommandBuffer commands : all) commandStates().remove(commands);
        context->next.FreeCommandBuffers(device, info->commandPool, info->commandBufferCount,
                                         buffers);
        std::fill(all.begin(), all.end(), VkCommandBuffer(VK_NULL_HANDLE));
    });
    for (VkCommandBuffer commands : all) {
        auto state = std::make_shared<CommandState>();
        state->device = context;
        state->pool = info->commandPool;
        state->level = info->level;
        commandStates().add(commands, std::move(state));
    }
    undo.dismiss();
    return VK_SUCCESS;
}

void freeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                        const VkCommandBuffer* buffers) {
    for (VkCommandBuffer commands : std::span(buffers, count)) {
        if (commands != VK_NULL_HANDLE) commandStates().remove(commands);
    }
    devices().find(device)->next.FreeCommandBuffers(device, pool, count, buffers);
}

void destroyCommandPool(VkDevice device, VkCommandPool pool,
                        const VkAllocationCallbacks* allocator) {
    const auto context = devices().find(device);
    if (pool != VK_NULL_HANDLE) commandStates().removePool(*context, pool);
    context->next.DestroyCommandPool(device, pool, allocator);
}

VkResult beginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
    const auto state = commandStates().find(commands);
    if (state != nullptr) {
        state->forget();
        // Primary command buffers ignore pInheritanceInfo.
        const bool secondary = state->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
        state->setUsesHeaps(secondary && inheritsHeaps(info->pInheritanceInfo));
    }
    return nextOf(commands, state).BeginCommandBuffer(commands, info);
}

VkResult endCommandBuffer(VkCommandBuffer commands) {
    const auto state = commandStates().find(commands);
    const VkResult result = nextOf(commands, state).EndCommandBuffer(commands);
    return result == VK_SUCCESS && state != nullptr ? state->failure : result;
}

void cmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdBindPipeline(commands, point, pipeline);
    if (state == nullptr || point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    state->computePipeline = pipeline;
    state->computeShader = VK_NULL_HANDLE;
}

void cmdBindShaders(VkCommandBuffer commands, uint32_t count, const VkShaderStageFlagBits* stages,
                    const VkShaderEXT* shaders) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdBindShadersEXT(commands, count, stages, shaders);
    if (state == nullptr) return;
    for (uint32_t i = 0; i < count; ++i) {
        if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
        state->computeShader = shaders != nullptr ? shaders[i] : VK_NULL_HANDLE;
        state->computePipeline = VK_NULL_HANDLE;
    }
}

// After secondary command buffers it is undefined what is bound, except for descriptor heaps that
// they inherit. To set push data again that was undefined does no harm.
void cmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                        const VkCommandBuffer* secondaries) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdExecuteCommands(commands, count, secondaries);
    if (state == nullptr) return;
    checkConditions(*state, std::span(secondaries, count));
    state->computePipeline = VK_NULL_HANDLE;
    state->computeShader = VK_NULL_HANDLE;
    if (!state->usesHeaps) state->pushConstants.clear();
}

void cmdBeginConditionalRendering(VkCommandBuffer commands,
                                  const VkConditionalRenderingBeginInfoEXT* info) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdBeginConditionalRenderingEXT(commands, info);
    if (state == nullptr) return;
    VkConditionalRenderingBeginInfoEXT condition = *info;
    condition.pNext = nullptr;  // nothing extends it
    state->condition = condition;
}

#ifdef VK_KHR_device_address_commands
void cmdBeginConditionalRendering2(VkCommandBuffer commands,
                                   const VkConditionalRenderingBeginInfo2EXT* info) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdBeginConditionalRendering2EXT(commands, info);
    if (state == nullptr) return;
    VkConditionalRenderingBeginInfo2EXT condition = *info;
    condition.pNext = nullptr;  // nothing extends it
    state->condition = condition;
}
#endif

void cmdEndConditionalRendering(VkCommandBuffer commands) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdEndConditionalRenderingEXT(commands);
    if (state != nullptr) state->condition = {};
}

}  // namespace coopvk::layer
