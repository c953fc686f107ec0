// SPDX-License-Identifier: Apache-2.0
#include "conversion/restore_state.hpp"

namespace coopvk::layer {
namespace {

// Between dispatches. An application's barrier for all commands is before or after it in a chain.
void amongDispatches(const VkuDeviceDispatchTable& next, VkCommandBuffer commands,
                     VkAccessFlags from, VkAccessFlags to) {
    constexpr VkPipelineStageFlags kStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from, to};
    next.CmdPipelineBarrier(commands, kStage, kStage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

// A condition that a secondary command buffer inherits cannot be ended there: see
// cmdExecuteCommands.
void suspendCondition(const VkuDeviceDispatchTable& next, const CommandState& state,
                      VkCommandBuffer commands) {
    if (std::holds_alternative<std::monostate>(state.condition)) return;
    next.CmdEndConditionalRenderingEXT(commands);
}

void resumeCondition(const VkuDeviceDispatchTable& next, const CommandState& state,
                     VkCommandBuffer commands) {
    if (const auto* info = std::get_if<VkConditionalRenderingBeginInfoEXT>(&state.condition)) {
        next.CmdBeginConditionalRenderingEXT(commands, info);
    }
#ifdef VK_KHR_device_address_commands
    if (const auto* info = std::get_if<VkConditionalRenderingBeginInfo2EXT>(&state.condition)) {
        next.CmdBeginConditionalRendering2EXT(commands, info);
    }
#endif
}

void seeTransfers(const VkuDeviceDispatchTable& next, VkCommandBuffer commands) {
    amongDispatches(next, commands, 0, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void showWrites(const VkuDeviceDispatchTable& next, VkCommandBuffer commands) {
    amongDispatches(next, commands, VK_ACCESS_SHADER_WRITE_BIT, 0);
}

void bindAgain(const VkuDeviceDispatchTable& next, const CommandState& state,
               VkCommandBuffer commands) {
    if (state.computePipeline != VK_NULL_HANDLE) {
        next.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, state.computePipeline);
    } else if (state.computeShader != VK_NULL_HANDLE) {
        const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
        next.CmdBindShadersEXT(commands, 1, &stage, &state.computeShader);
    }
}

}  // namespace coopvk::layer
