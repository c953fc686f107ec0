// SPDX-License-Identifier: Apache-2.0
//
// Applications ask for keys and binaries of pipelines that do not exist yet with a create info. The
// layer rewrites it as for the creation itself, so that the driver's key depends on the words that
// the driver would compile. The layer adds the settings and its version to the key.
#include "chain/pnext.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/graphics_stages.hpp"
#include "shaders/identity.hpp"
#include "shaders/pipeline_batch.hpp"
#include "shaders/stage_builder.hpp"

namespace coopvk::layer {
namespace {

VkResult buildInfo(BuiltStages& built, VkComputePipelineCreateInfo& info, bool& changed) {
    return built.build(info.stage, pipelineFlags(info), changed);
}
VkResult buildInfo(BuiltStages& built, VkGraphicsPipelineCreateInfo& info, bool& changed) {
    return buildGraphics(built, info, changed);
}
// For ray tracing and execution graphs.
template <typename Info>
VkResult buildInfo(BuiltStages& built, Info& info, bool& changed) {
    return built.buildArray(info.stageCount, info.pStages, pipelineFlags(info), changed);
}

// Replaces the create info of one kind in the chain of `outer`, which is the caller's copy.
template <typename Info>
VkResult buildKind(BuiltStages& built, VkPipelineCreateInfoKHR& outer, VkStructureType type,
                   bool& anyChanged) {
    const auto* original = findNode<Info>(outer.pNext, type);
    if (original == nullptr) return VK_SUCCESS;
    Info info = *original;
    bool changed = false;
    const VkResult result = buildInfo(built, info, changed);
    if (result != VK_SUCCESS || !changed) return result;
    ChainEditor chain(outer.pNext, built.scratch());
    auto* copy = chain.edit<Info>(type);
    if (copy == nullptr) return VK_ERROR_UNKNOWN;
    anyChanged = true;
    *copy = info;  // with its pNext, the rest of the chain
    outer.pNext = const_cast<void*>(chain.head());
    return VK_SUCCESS;
}

VkResult buildAny(BuiltStages& built, VkPipelineCreateInfoKHR& outer, bool& changed) {
    VkResult result = buildKind<VkComputePipelineCreateInfo>(
        built, outer, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, changed);
    if (result != VK_SUCCESS) return result;
    result = buildKind<VkGraphicsPipelineCreateInfo>(
        built, outer, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, changed);
    if (result != VK_SUCCESS) return result;
#ifdef VK_AMDX_shader_enqueue
    result = buildKind<VkExecutionGraphPipelineCreateInfoAMDX>(
        built, outer, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX, changed);
    if (result != VK_SUCCESS) return result;
#endif
    return buildKind<VkRayTracingPipelineCreateInfoKHR>(
        built, outer, VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR, changed);
}

}  // namespace

VkResult getPipelineKey(VkDevice device, const VkPipelineCreateInfoKHR* createInfo,
                        VkPipelineBinaryKeyKHR* key) {
    const auto context = devices().find(device);
    const auto& next = context->next.GetPipelineKeyKHR;
    if (!context->rewrites()) return next(device, createInfo, key);
    // Without a pipeline: the key that all binaries of this device depend on.
    bool changed = createInfo == nullptr;
    BuiltStages built(*context, nullptr);
    VkPipelineCreateInfoKHR info = {};
    if (createInfo != nullptr) {
        info = *createInfo;
        if (VkResult result = buildAny(built, info, changed); result != VK_SUCCESS) return result;
    }
    const VkResult result = next(device, createInfo == nullptr ? nullptr : &info, key);
    if (result == VK_SUCCESS && changed) mixIdentity(*context, *key);
    return result;
}

VkResult createPipelineBinaries(VkDevice device, const VkPipelineBinaryCreateInfoKHR* createInfo,
                                const VkAllocationCallbacks* allocator,
                                VkPipelineBinaryHandlesInfoKHR* binaries) {
    const auto context = devices().find(device);
    VkPipelineBinaryCreateInfoKHR outer = *createInfo;
    BuiltStages built(*context, allocator);
    VkPipelineCreateInfoKHR inner;
    if (outer.pPipelineCreateInfo != nullptr && context->rewrites()) {
        inner = *outer.pPipelineCreateInfo;
        bool changed = false;
        if (VkResult result = buildAny(built, inner, changed); result != VK_SUCCESS) return result;
        outer.pPipelineCreateInfo = &inner;
    }
    return context->next.CreatePipelineBinariesKHR(device, &outer, allocator, binaries);
}

}  // namespace coopvk::layer
