// SPDX-License-Identifier: Apache-2.0
//
// Commands in command buffers of the fake driver: they record their arguments, or count calls.
#include <algorithm>
#include <ostream>

#include "fake_commands.hpp"
#include "fake_driver.hpp"
#include "pnext.hpp"

namespace coopvk::test {

void PrintTo(const SeenCommand& command, std::ostream* out) {
    *out << command.name;
    for (uint64_t value : command.values) *out << " 0x" << std::hex << value << std::dec;
}

namespace fake {
namespace {

using layer::findNode;

template <typename Function>
struct Counted;

template <typename R, typename... Args>
struct Counted<R(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR R VKAPI_CALL call(Args...) {
        ++current()->recorded;
        return R();
    }
};

#define COOPVK_COUNTED(command) \
    {#command, reinterpret_cast<PFN_vkVoidFunction>(&Counted<PFN_##command>::call)}

void see(std::string_view name, std::vector<uint64_t> values) {
    current()->seenCommands.push_back({name, std::move(values)});
}

uint64_t bankOf([[maybe_unused]] const void* chain) {
#ifdef VK_NV_push_constant_bank
    const auto* node =
        findNode<VkPushConstantBankInfoNV>(chain, VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV);
    if (node != nullptr) return node->bank;
#endif
    return kNoBank;
}

// Bank, offset, and each word.
std::vector<uint64_t> pushed(const void* chain, uint32_t offset, const void* values, size_t size) {
    std::vector<uint64_t> all = {bankOf(chain), offset};
    const auto* words = static_cast<const uint32_t*>(values);
    all.insert(all.end(), words, words + size / sizeof(uint32_t));
    return all;
}

// The pipeline.
void bindPipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline pipeline) {
    see("vkCmdBindPipeline", {numberOf(pipeline)});
}

void pushConstants(VkCommandBuffer, VkPipelineLayout, VkShaderStageFlags, uint32_t offset,
                   uint32_t size, const void* values) {
    see("vkCmdPushConstants", pushed(nullptr, offset, values, size));
}

void pushConstants2(VkCommandBuffer, const VkPushConstantsInfo* info) {
    ++current()->recorded;
    const auto* inlined = findNode<VkPipelineLayoutCreateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    if (inlined != nullptr) {
        current()->inlinedLayouts.push_back(
            {inlined->setLayoutCount, inlined->pushConstantRangeCount});
    }
    see("vkCmdPushConstants2", pushed(info->pNext, info->offset, info->pValues, info->size));
}

void dispatch(VkCommandBuffer, uint32_t, uint32_t, uint32_t) {
    ++current()->dispatches;
    see("vkCmdDispatch", {});
}

// The offset in the buffer.
void beginCondition(VkCommandBuffer, const VkConditionalRenderingBeginInfoEXT* info) {
    ++current()->recorded;
    see("vkCmdBeginConditionalRenderingEXT", {info->offset});
}

void endCondition(VkCommandBuffer) {
    ++current()->recorded;
    see("vkCmdEndConditionalRenderingEXT", {});
}

#ifdef VK_EXT_descriptor_heap
void pushData(VkCommandBuffer, const VkPushDataInfoEXT* info) {
    ++current()->recorded;
    see("vkCmdPushDataEXT", pushed(info->pNext, info->offset, info->data.address, info->data.size));
}
#endif

#ifdef VK_KHR_device_address_commands
// The address.
void beginCondition2(VkCommandBuffer, const VkConditionalRenderingBeginInfo2EXT* info) {
    ++current()->recorded;
    see("vkCmdBeginConditionalRendering2EXT", {info->addressRange.address});
}

// Stage, address and marker.
void writeMarker(VkCommandBuffer, const VkMemoryMarkerInfoAMD* info) {
    ++current()->recorded;
    see("vkCmdWriteMarkerToMemoryAMD", {info->stage, info->dstRange.address, info->marker});
}
#endif

const Entry kBasicEntries[] = {
    COOPVK_FAKE(vkCmdBindPipeline, bindPipeline),
    COOPVK_FAKE(vkCmdPushConstants, pushConstants),
    COOPVK_FAKE(vkCmdDispatch, dispatch),
};

const Entry kEntries[] = {
    COOPVK_COUNTED(vkCmdBindShadersEXT),
    COOPVK_FAKE(vkCmdPushConstants2, pushConstants2),
    COOPVK_FAKE(vkCmdPushConstants2KHR, pushConstants2),
    COOPVK_COUNTED(vkCmdExecuteCommands),
    COOPVK_FAKE(vkCmdBeginConditionalRenderingEXT, beginCondition),
    COOPVK_FAKE(vkCmdEndConditionalRenderingEXT, endCondition),
#ifdef VK_KHR_device_address_commands
    COOPVK_FAKE(vkCmdBeginConditionalRendering2EXT, beginCondition2),
    COOPVK_FAKE(vkCmdWriteMarkerToMemoryAMD, writeMarker),
#endif
#ifdef VK_EXT_descriptor_heap
    COOPVK_FAKE(vkCmdPushDataEXT, pushData),
    COOPVK_COUNTED(vkCmdBindSamplerHeapEXT),
    COOPVK_COUNTED(vkCmdBindResourceHeapEXT),
#endif
    COOPVK_COUNTED(vkCmdBindDescriptorSets),
    COOPVK_COUNTED(vkCmdBindDescriptorSets2),
    COOPVK_COUNTED(vkCmdBindDescriptorSets2KHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSet),
    COOPVK_COUNTED(vkCmdPushDescriptorSetKHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSet2),
    COOPVK_COUNTED(vkCmdPushDescriptorSet2KHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplateKHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate2),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate2KHR),
    COOPVK_COUNTED(vkCmdBindDescriptorBuffersEXT),
    COOPVK_COUNTED(vkCmdSetDescriptorBufferOffsetsEXT),
    COOPVK_COUNTED(vkCmdSetDescriptorBufferOffsets2EXT),
    COOPVK_COUNTED(vkCmdBindDescriptorBufferEmbeddedSamplersEXT),
    COOPVK_COUNTED(vkCmdBindDescriptorBufferEmbeddedSamplers2EXT),
    COOPVK_COUNTED(vkCmdPipelineBarrier),
    COOPVK_COUNTED(vkCmdPipelineBarrier2),
    COOPVK_COUNTED(vkCmdPipelineBarrier2KHR),
    COOPVK_COUNTED(vkCmdSetEvent2),
    COOPVK_COUNTED(vkCmdSetEvent2KHR),
    COOPVK_COUNTED(vkCmdResetEvent2),
    COOPVK_COUNTED(vkCmdResetEvent2KHR),
    COOPVK_COUNTED(vkCmdWaitEvents),
    COOPVK_COUNTED(vkCmdWaitEvents2),
    COOPVK_COUNTED(vkCmdWaitEvents2KHR),
    COOPVK_COUNTED(vkCmdWriteTimestamp2),
    COOPVK_COUNTED(vkCmdWriteTimestamp2KHR),
    COOPVK_COUNTED(vkCmdWriteBufferMarker2AMD),
    COOPVK_COUNTED(vkQueueSubmit2),
    COOPVK_COUNTED(vkQueueSubmit2KHR),
};

}  // namespace

std::span<const Entry> basicRecordingEntries() { return kBasicEntries; }
std::span<const Entry> recordingEntries() { return kEntries; }

}  // namespace fake
}  // namespace coopvk::test
