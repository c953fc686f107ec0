// SPDX-License-Identifier: Apache-2.0
//
// Applications ask for keys and binaries of pipelines that do not exist yet with a create info. The
// layer rewrites it as for the creation itself, so that the driver's key depends on the words that
// the driver would compile. The layer adds the settings and its version to the key.
#include <algorithm>

#include "chain/pnext.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/identity.hpp"
#include "shaders/pipelines.hpp"

namespace coopvk::layer {
namespace {

// Replaces the create info of one kind in the chain of `outer`, which is the caller's copy.
template <typename Info>
VkResult buildKind(BuiltStages& built, VkPipelineCreateInfoKHR& outer, VkStructureType type,
                   VkResult (*build)(BuiltStages&, Info&, bool&), bool& anyChanged) {
    const auto* original = findNode<Info>(outer.pNext, type);
    if (original == nullptr) return VK_SUCCESS;
    Info info = *original;
    bool changed = false;
    const VkResult result = build(built, info, changed);
    if (result != VK_SUCCESS || !changed) return result;
    ChainEditor chain(outer.pNext, built.scratch());
    auto* copy = chain.edit<Info>(type);
    if (copy == nullptr) return VK_ERROR_UNKNOWN;
    anyChanged = true;
    *copy = info;  // with its pNext, the rest of the chain
    outer.pNext = const_cast<void*>(chain.head());
    return VK_SUCCESS;
}

// Stops at the first failure.
VkResult buildAny(BuiltStages& built, VkPipelineCreateInfoKHR& outer, bool& changed) {
    VkResult result = VK_SUCCESS;
    const auto add = [&]<typename Info>(VkStructureType type,
                                        VkResult (*build)(BuiltStages&, Info&, bool&)) {
        if (result == VK_SUCCESS) result = buildKind(built, outer, type, build, changed);
    };
    add(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, buildCompute);
    add(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, buildGraphics);
#ifdef VK_AMDX_shader_enqueue
    add(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX,
        buildStages<VkExecutionGraphPipelineCreateInfoAMDX>);
#endif
    add(VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        buildStages<VkRayTracingPipelineCreateInfoKHR>);
    return result;
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
    // Binaries that are not created, also because of an exception, must be null.
    if (binaries->pPipelineBinaries != nullptr) {
        std::fill_n(binaries->pPipelineBinaries, binaries->pipelineBinaryCount,
                    VkPipelineBinaryKHR(VK_NULL_HANDLE));
    }
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
