// SPDX-License-Identifier: Apache-2.0
#include "conversion/restore_state.hpp"

namespace coopvk::layer {

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
