// SPDX-License-Identifier: Apache-2.0
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/pipelines.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kShaderGroups = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV;

// The groups of VK_NV_device_generated_commands carry stages of their own.
VkResult buildGroups(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed) {
    const auto* node =
        findNode<VkGraphicsPipelineShaderGroupsCreateInfoNV>(info.pNext, kShaderGroups);
    if (node == nullptr || node->groupCount == 0) return VK_SUCCESS;
    auto* groups = built.scratch().copyArray(std::span(node->pGroups, node->groupCount));
    bool groupsChanged = false;
    for (auto& group : std::span(groups, node->groupCount)) {
        const VkResult result =
            built.buildArray(group.stageCount, group.pStages, pipelineFlags(info), groupsChanged);
        if (result != VK_SUCCESS) return result;
    }
    if (!groupsChanged) return VK_SUCCESS;
    ChainEditor chain(info.pNext, built.scratch());
    auto* copy = chain.edit<VkGraphicsPipelineShaderGroupsCreateInfoNV>(kShaderGroups);
    if (copy == nullptr) {
        built.device().log().error("cannot copy an unknown structure in a pipeline's chain");
        return VK_ERROR_UNKNOWN;
    }
    copy->pGroups = groups;
    info.pNext = chain.head();
    changed = true;
    return VK_SUCCESS;
}

}  // namespace

bool readsStages(const VkGraphicsPipelineCreateInfo& info) {
    if (const auto* parts = findNode<VkGraphicsPipelineLibraryCreateInfoEXT>(
            info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT)) {
        return (parts->flags & (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                                VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)) != 0;
    }
    if (pipelineFlags(info) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) return false;
    const auto* libraries = findNode<VkPipelineLibraryCreateInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    return libraries == nullptr || libraries->libraryCount == 0;
}

VkResult buildGraphics(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed) {
    if (readsStages(info)) {
        const VkResult result =
            built.buildArray(info.stageCount, info.pStages, pipelineFlags(info), changed);
        if (result != VK_SUCCESS) return result;
    }
    return buildGroups(built, info, changed);
}

VkResult createGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                 const VkGraphicsPipelineCreateInfo* infos,
                                 const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const VkGraphicsPipelineCreateInfo* list, VkPipeline* out) {
        return context->next.CreateGraphicsPipelines(device, cache, n, list, allocator, out);
    };
    return createPipelines(*context, allocator, std::span(infos, count), pipelines, buildGraphics,
                           create);
}

}  // namespace coopvk::layer
