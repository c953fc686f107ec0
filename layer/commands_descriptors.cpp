// SPDX-License-Identifier: Apache-2.0
//
// Push constants, descriptor heaps with their push data, and commands that invalidate one or the
// other, on devices that emulate conversions. Each command calls the next layer first, as in
// commands_record.cpp.
#include "command_state.hpp"
#include "commands.hpp"
#include "pnext.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

using Table = VkuDeviceDispatchTable;

PushLayout copyLayout(const VkPushConstantsInfo& info) {
    PushLayout layout;
    layout.handle = info.layout;
    if (layout.handle != VK_NULL_HANDLE) return layout;
    const auto* created = findNode<VkPipelineLayoutCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    if (created == nullptr) return layout;
    const std::span ranges(created->pPushConstantRanges, created->pushConstantRangeCount);
    layout.ranges.assign(ranges.begin(), ranges.end());
    return layout;
}

std::optional<uint32_t> bankOf([[maybe_unused]] const void* chain) {
#ifdef VK_NV_push_constant_bank
    const auto* node =
        findNode<VkPushConstantBankInfoNV>(chain, VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV);
    if (node != nullptr) return node->bank;
#endif
    return std::nullopt;
}

std::vector<std::byte> copyBytes(const void* values, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(values);
    return {bytes, bytes + size};
}

// Calls a command by the one of its two names that the next layer has.
template <typename Function, typename... Args>
std::shared_ptr<CommandState> pass(VkCommandBuffer commands, Function Table::* core,
                                   Function Table::* alias, Args... args) {
    auto state = commandStates().find(commands);
    const Table& next = nextOf(commands, state);
    (next.*core != nullptr ? next.*core : next.*alias)(commands, args...);
    return state;
}

// The same for commands of descriptor sets and descriptor buffers.
template <typename Function, typename... Args>
void passSets(VkCommandBuffer commands, Function Table::* core, Function Table::* alias,
              Args... args) {
    const auto state = pass(commands, core, alias, args...);
    if (state != nullptr) state->setUsesHeaps(false);
}

}  // namespace

void cmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                      uint32_t offset, uint32_t size, const void* values) {
    constexpr auto kCommand = &Table::CmdPushConstants;
    const auto state = pass(commands, kCommand, kCommand, layout, stages, offset, size, values);
    if (state == nullptr) return;
    state->setUsesHeaps(false);
    state->pushConstants.add({{.handle = layout}, stages, offset, copyBytes(values, size)});
}

void cmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo* info) {
    const auto state =
        pass(commands, &Table::CmdPushConstants2, &Table::CmdPushConstants2KHR, info);
    if (state == nullptr) return;
    state->setUsesHeaps(false);
    state->pushConstants.add({copyLayout(*info), info->stageFlags, info->offset,
                              copyBytes(info->pValues, info->size), bankOf(info->pNext)});
}

#ifdef VK_EXT_descriptor_heap
void cmdPushData(VkCommandBuffer commands, const VkPushDataInfoEXT* info) {
    constexpr auto kCommand = &Table::CmdPushDataEXT;
    const auto state = pass(commands, kCommand, kCommand, info);
    if (state == nullptr) return;
    state->setUsesHeaps(true);
    state->pushConstants.add({{},
                              VK_SHADER_STAGE_ALL,
                              info->offset,
                              copyBytes(info->data.address, info->data.size),
                              bankOf(info->pNext)});
}

void cmdBindSamplerHeap(VkCommandBuffer commands, const VkBindHeapInfoEXT* info) {
    constexpr auto kCommand = &Table::CmdBindSamplerHeapEXT;
    const auto state = pass(commands, kCommand, kCommand, info);
    if (state != nullptr) state->setUsesHeaps(true);
}

void cmdBindResourceHeap(VkCommandBuffer commands, const VkBindHeapInfoEXT* info) {
    constexpr auto kCommand = &Table::CmdBindResourceHeapEXT;
    const auto state = pass(commands, kCommand, kCommand, info);
    if (state != nullptr) state->setUsesHeaps(true);
}
#endif

void cmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point,
                           VkPipelineLayout layout, uint32_t first, uint32_t count,
                           const VkDescriptorSet* sets, uint32_t offsetCount,
                           const uint32_t* offsets) {
    constexpr auto kCommand = &Table::CmdBindDescriptorSets;
    passSets(commands, kCommand, kCommand, point, layout, first, count, sets, offsetCount, offsets);
}

void cmdBindDescriptorSets2(VkCommandBuffer commands, const VkBindDescriptorSetsInfo* info) {
    passSets(commands, &Table::CmdBindDescriptorSets2, &Table::CmdBindDescriptorSets2KHR, info);
}

void cmdPushDescriptorSet(VkCommandBuffer commands, VkPipelineBindPoint point,
                          VkPipelineLayout layout, uint32_t set, uint32_t count,
                          const VkWriteDescriptorSet* writes) {
    passSets(commands, &Table::CmdPushDescriptorSet, &Table::CmdPushDescriptorSetKHR, point, layout,
             set, count, writes);
}

void cmdPushDescriptorSet2(VkCommandBuffer commands, const VkPushDescriptorSetInfo* info) {
    passSets(commands, &Table::CmdPushDescriptorSet2, &Table::CmdPushDescriptorSet2KHR, info);
}

void cmdPushDescriptorSetWithTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate how,
                                      VkPipelineLayout layout, uint32_t set, const void* data) {
    passSets(commands, &Table::CmdPushDescriptorSetWithTemplate,
             &Table::CmdPushDescriptorSetWithTemplateKHR, how, layout, set, data);
}

void cmdPushDescriptorSetWithTemplate2(VkCommandBuffer commands,
                                       const VkPushDescriptorSetWithTemplateInfo* info) {
    passSets(commands, &Table::CmdPushDescriptorSetWithTemplate2,
             &Table::CmdPushDescriptorSetWithTemplate2KHR, info);
}

void cmdBindDescriptorBuffers(VkCommandBuffer commands, uint32_t count,
                              const VkDescriptorBufferBindingInfoEXT* infos) {
    constexpr auto kCommand = &Table::CmdBindDescriptorBuffersEXT;
    passSets(commands, kCommand, kCommand, count, infos);
}

void cmdSetDescriptorBufferOffsets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                   VkPipelineLayout layout, uint32_t first, uint32_t count,
                                   const uint32_t* buffers, const VkDeviceSize* offsets) {
    constexpr auto kCommand = &Table::CmdSetDescriptorBufferOffsetsEXT;
    passSets(commands, kCommand, kCommand, point, layout, first, count, buffers, offsets);
}

void cmdSetDescriptorBufferOffsets2(VkCommandBuffer commands,
                                    const VkSetDescriptorBufferOffsetsInfoEXT* info) {
    constexpr auto kCommand = &Table::CmdSetDescriptorBufferOffsets2EXT;
    passSets(commands, kCommand, kCommand, info);
}

void cmdBindEmbeddedSamplers(VkCommandBuffer commands, VkPipelineBindPoint point,
                             VkPipelineLayout layout, uint32_t set) {
    constexpr auto kCommand = &Table::CmdBindDescriptorBufferEmbeddedSamplersEXT;
    passSets(commands, kCommand, kCommand, point, layout, set);
}

void cmdBindEmbeddedSamplers2(VkCommandBuffer commands,
                              const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* info) {
    constexpr auto kCommand = &Table::CmdBindDescriptorBufferEmbeddedSamplers2EXT;
    passSets(commands, kCommand, kCommand, info);
}

}  // namespace coopvk::layer
