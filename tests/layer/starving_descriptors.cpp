// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "starving.hpp"

namespace coopvk::test {
namespace {

constexpr auto kPoint = VK_PIPELINE_BIND_POINT_COMPUTE;

// Calls a command with arguments that the driver does not read.
template <typename Function, auto... arguments>
VkResult call(Rig& rig, const char* name) {
    rig.command<Function>(name)(rig.commands, arguments...);
    return VK_SUCCESS;
}

#ifdef VK_EXT_descriptor_heap
VkResult bindHeap(Rig& rig, const char* name) {
    const VkBindHeapInfoEXT info = {VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT};
    rig.command<PFN_vkCmdBindResourceHeapEXT>(name)(rig.commands, &info);
    return VK_SUCCESS;
}

VkResult pushData(Rig& rig, const char* name) {
    const uint32_t values[4] = {};
    VkPushDataInfoEXT info = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT};
    info.data = {values, sizeof values};
    rig.command<PFN_vkCmdPushDataEXT>(name)(rig.commands, &info);
    return VK_SUCCESS;
}
#endif

#ifdef VK_KHR_device_address_commands
VkResult beginCondition2(Rig& rig, const char* name) {
    const VkConditionalRenderingBeginInfo2EXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT};
    rig.command<PFN_vkCmdBeginConditionalRendering2EXT>(name)(rig.commands, &info);
    return VK_SUCCESS;
}

VkResult writeMarker(Rig& rig, const char* name) {
    VkMemoryMarkerInfoAMD info = {VK_STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD};
    info.stage = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
    rig.command<PFN_vkCmdWriteMarkerToMemoryAMD>(name)(rig.commands, &info);
    return VK_SUCCESS;
}
#endif

VkResult pushTemplate(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdPushDescriptorSetWithTemplate>(name)(rig.commands, VK_NULL_HANDLE,
                                                              VK_NULL_HANDLE, 0, nullptr);
    return VK_SUCCESS;
}

VkResult bindSets(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdBindDescriptorSets>(name)(rig.commands, kPoint, VK_NULL_HANDLE, 0, 0,
                                                   nullptr, 0, nullptr);
    return VK_SUCCESS;
}

VkResult pushSet(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdPushDescriptorSet>(name)(rig.commands, kPoint, VK_NULL_HANDLE, 0, 0,
                                                  nullptr);
    return VK_SUCCESS;
}

VkResult setOffsets(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdSetDescriptorBufferOffsetsEXT>(name)(rig.commands, kPoint, VK_NULL_HANDLE,
                                                              0, 0, nullptr, nullptr);
    return VK_SUCCESS;
}

VkResult bindSamplers(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT>(name)(rig.commands, kPoint,
                                                                        VK_NULL_HANDLE, 0);
    return VK_SUCCESS;
}

// Commands that take nothing but a structure.
template <typename Function>
VkResult callWithInfo(Rig& rig, const char* name) {
    return call<Function, nullptr>(rig, name);
}

const StarvingCommand kCommands[] = {
#ifdef VK_EXT_descriptor_heap
    {"vkCmdBindSamplerHeapEXT", Before::kCommands, bindHeap},
    {"vkCmdBindResourceHeapEXT", Before::kCommands, bindHeap},
    {"vkCmdPushDataEXT", Before::kCommands, pushData},
#endif
#ifdef VK_KHR_device_address_commands
    {"vkCmdBeginConditionalRendering2EXT", Before::kCommands, beginCondition2},
    {"vkCmdWriteMarkerToMemoryAMD", Before::kCommands, writeMarker},
#endif
    {"vkCmdBindDescriptorSets", Before::kCommands, bindSets},
    {"vkCmdBindDescriptorSets2", Before::kCommands, callWithInfo<PFN_vkCmdBindDescriptorSets2>},
    {"vkCmdBindDescriptorSets2KHR", Before::kCommands, callWithInfo<PFN_vkCmdBindDescriptorSets2>},
    {"vkCmdPushDescriptorSet", Before::kCommands, pushSet},
    {"vkCmdPushDescriptorSetKHR", Before::kCommands, pushSet},
    {"vkCmdPushDescriptorSet2", Before::kCommands, callWithInfo<PFN_vkCmdPushDescriptorSet2>},
    {"vkCmdPushDescriptorSet2KHR", Before::kCommands, callWithInfo<PFN_vkCmdPushDescriptorSet2>},
    {"vkCmdPushDescriptorSetWithTemplate", Before::kCommands, pushTemplate},
    {"vkCmdPushDescriptorSetWithTemplateKHR", Before::kCommands, pushTemplate},
    {"vkCmdPushDescriptorSetWithTemplate2", Before::kCommands,
     callWithInfo<PFN_vkCmdPushDescriptorSetWithTemplate2>},
    {"vkCmdPushDescriptorSetWithTemplate2KHR", Before::kCommands,
     callWithInfo<PFN_vkCmdPushDescriptorSetWithTemplate2>},
    {"vkCmdBindDescriptorBuffersEXT", Before::kCommands,
     call<PFN_vkCmdBindDescriptorBuffersEXT, 0u, nullptr>},
    {"vkCmdSetDescriptorBufferOffsetsEXT", Before::kCommands, setOffsets},
    {"vkCmdSetDescriptorBufferOffsets2EXT", Before::kCommands,
     callWithInfo<PFN_vkCmdSetDescriptorBufferOffsets2EXT>},
    {"vkCmdBindDescriptorBufferEmbeddedSamplersEXT", Before::kCommands, bindSamplers},
    {"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT", Before::kCommands,
     callWithInfo<PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT>},
};

}  // namespace

std::span<const StarvingCommand> starvingDescriptorCommands() { return kCommands; }

}  // namespace coopvk::test
