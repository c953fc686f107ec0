// SPDX-License-Identifier: Apache-2.0
#include "restore_state.hpp"

#include "context.hpp"

namespace coopvk::layer {
namespace {

// The structures that `entry` needs in a chain: a bank, and a layout without a handle.
struct PushChain {
    explicit PushChain(const PushConstantLog::Entry& entry) {
#ifdef VK_NV_push_constant_bank
        if (entry.bank) {
            bank.bank = *entry.bank;
            head = &bank;
        }
#endif
        layout.pNext = head;
        layout.pushConstantRangeCount = static_cast<uint32_t>(entry.layout.ranges.size());
        layout.pPushConstantRanges = entry.layout.ranges.data();
    }
    PushChain(const PushChain&) = delete;
    PushChain& operator=(const PushChain&) = delete;

    const void* head = nullptr;  // without the layout
#ifdef VK_NV_push_constant_bank
    VkPushConstantBankInfoNV bank = {VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV};
#endif
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
};

#ifdef VK_EXT_descriptor_heap
void pushDataAgain(const DeviceContext& device, VkCommandBuffer commands,
                   const PushConstantLog::Entry& entry) {
    const PushChain chain(entry);
    VkPushDataInfoEXT info = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT, chain.head};
    info.offset = entry.offset;
    info.data = {entry.bytes.data(), entry.bytes.size()};
    device.next.CmdPushDataEXT(commands, &info);
}
#endif

void pushConstantsAgain(const DeviceContext& device, VkCommandBuffer commands,
                        const PushConstantLog::Entry& entry) {
    const auto size = static_cast<uint32_t>(entry.bytes.size());
    const bool hasLayout = entry.layout.handle != VK_NULL_HANDLE;
    if (hasLayout && !entry.bank) {
        device.next.CmdPushConstants(commands, entry.layout.handle, entry.stages, entry.offset,
                                     size, entry.bytes.data());
        return;
    }
    const PushChain chain(entry);
    VkPushConstantsInfo info = {VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
                                hasLayout ? chain.head : &chain.layout};
    info.layout = entry.layout.handle;
    info.stageFlags = entry.stages;
    info.offset = entry.offset;
    info.size = size;
    info.pValues = entry.bytes.data();
    const auto& next = device.next;
    (next.CmdPushConstants2 != nullptr ? next.CmdPushConstants2 : next.CmdPushConstants2KHR)(
        commands, &info);
}

void resumeCondition(const CommandState& state, VkCommandBuffer commands) {
    const auto& next = state.device->next;
    if (const auto* info = std::get_if<VkConditionalRenderingBeginInfoEXT>(&state.condition)) {
        next.CmdBeginConditionalRenderingEXT(commands, info);
    }
#ifdef VK_KHR_device_address_commands
    if (const auto* info = std::get_if<VkConditionalRenderingBeginInfo2EXT>(&state.condition)) {
        next.CmdBeginConditionalRendering2EXT(commands, info);
    }
#endif
}

void pushAgain(const CommandState& state, VkCommandBuffer commands,
               const PushConstantLog::Entry& entry) {
#ifdef VK_EXT_descriptor_heap
    if (state.usesHeaps) return pushDataAgain(*state.device, commands, entry);
#endif
    pushConstantsAgain(*state.device, commands, entry);
}

}  // namespace

// A condition that a secondary command buffer inherits cannot be ended there: see
// cmdExecuteCommands.
void suspendCondition(const CommandState& state, VkCommandBuffer commands) {
    if (std::holds_alternative<std::monostate>(state.condition)) return;
    state.device->next.CmdEndConditionalRenderingEXT(commands);
}

// All push constants: to set those of an incompatible layout makes all others undefined.
void restoreState(const CommandState& state, VkCommandBuffer commands) {
    const DeviceContext& device = *state.device;
    for (const PushConstantLog::Entry& entry : state.pushConstants.entries()) {
        pushAgain(state, commands, entry);
    }
    if (state.computePipeline != VK_NULL_HANDLE) {
        device.next.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    state.computePipeline);
    } else if (state.computeShader != VK_NULL_HANDLE) {
        const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
        device.next.CmdBindShadersEXT(commands, 1, &stage, &state.computeShader);
    }
    resumeCondition(state, commands);
}

}  // namespace coopvk::layer
