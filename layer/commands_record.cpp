// SPDX-License-Identifier: Apache-2.0
//
// Commands that change what a matrix conversion must restore (command_state.hpp), on devices that
// emulate conversions. Each goes down first, so that no command is lost where there is no memory
// to remember it.
#include "command_state.hpp"
#include "commands.hpp"
#include "guard.hpp"
#include "pnext.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

const VkuDeviceDispatchTable& nextOf(VkCommandBuffer commands,
                                     const std::shared_ptr<CommandState>& state) {
    return state != nullptr ? state->device->next : devices().find(commands)->next;
}

PushLayout copyLayout(const VkPushConstantsInfo& info) {
    PushLayout layout;
    layout.handle = info.layout;
    if (layout.handle != VK_NULL_HANDLE) return layout;
    const auto* created = findNode<VkPipelineLayoutCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    if (created == nullptr) return layout;
    const std::span sets(created->pSetLayouts, created->setLayoutCount);
    const std::span ranges(created->pPushConstantRanges, created->pushConstantRangeCount);
    layout.flags = created->flags;
    layout.sets.assign(sets.begin(), sets.end());
    layout.ranges.assign(ranges.begin(), ranges.end());
    return layout;
}

std::span<const std::byte> bytesOf(const void* values, uint32_t size) {
    return {static_cast<const std::byte*>(values), size};
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
    if (state != nullptr) state->forget();
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

void cmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                      uint32_t offset, uint32_t size, const void* values) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdPushConstants(commands, layout, stages, offset, size, values);
    if (state == nullptr) return;
    state->pushConstants.add({.handle = layout}, stages, offset, bytesOf(values, size));
}

void cmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo* info) {
    const auto state = commandStates().find(commands);
    const VkuDeviceDispatchTable& next = nextOf(commands, state);
    (next.CmdPushConstants2 != nullptr ? next.CmdPushConstants2 : next.CmdPushConstants2KHR)(
        commands, info);
    if (state == nullptr) return;
    state->pushConstants.add(copyLayout(*info), info->stageFlags, info->offset,
                             bytesOf(info->pValues, info->size));
}

// What secondary command buffers leave bound is undefined.
void cmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                        const VkCommandBuffer* secondaries) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdExecuteCommands(commands, count, secondaries);
    if (state == nullptr) return;
    state->computePipeline = VK_NULL_HANDLE;
    state->computeShader = VK_NULL_HANDLE;
    state->pushConstants.clear();
}

void cmdBeginConditionalRendering(VkCommandBuffer commands,
                                  const VkConditionalRenderingBeginInfoEXT* info) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdBeginConditionalRenderingEXT(commands, info);
    if (state == nullptr) return;
    state->condition = *info;
    state->condition->pNext = nullptr;  // nothing extends it
}

void cmdEndConditionalRendering(VkCommandBuffer commands) {
    const auto state = commandStates().find(commands);
    nextOf(commands, state).CmdEndConditionalRenderingEXT(commands);
    if (state != nullptr) state->condition.reset();
}

}  // namespace coopvk::layer
