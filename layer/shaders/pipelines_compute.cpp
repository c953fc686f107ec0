// SPDX-License-Identifier: Apache-2.0
#include "inputs/dispatch_inputs.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/pipelines.hpp"

namespace coopvk::layer {

VkResult createComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                const VkComputePipelineCreateInfo* infos,
                                const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const VkComputePipelineCreateInfo* list, VkPipeline* out) {
        return context->next.CreateComputePipelines(device, cache, n, list, allocator, out);
    };
    std::vector<DumpedShaderRef> dumped;  // by pipeline
    const auto build = [&](BuiltStages& built, VkComputePipelineCreateInfo& info, bool& changed) {
        const VkResult result = buildCompute(built, info, changed);
        if (context->inputs != nullptr) dumped.push_back(built.dumped());
        return result;
    };
    const VkResult result =
        createPipelines(*context, allocator, std::span(infos, count), pipelines, build, create);
    for (size_t i = 0; i < dumped.size(); ++i)
        if (pipelines[i] != VK_NULL_HANDLE && dumped[i] != nullptr)
            context->inputs->add(reinterpret_cast<uint64_t>(pipelines[i]), *dumped[i]);
    return result;
}

// The driver must calculate the size for the words that it would compile.
void getPipelineIndirectMemoryRequirements(VkDevice device, const VkComputePipelineCreateInfo* info,
                                           VkMemoryRequirements2* requirements) {
    requirements->memoryRequirements = {};
    const auto context = devices().find(device);
    BuiltStages built(*context, nullptr);
    VkComputePipelineCreateInfo copy = *info;
    bool changed = false;
    // If it cannot be rewritten, which is logged, its creation fails, too.
    if (buildCompute(built, copy, changed) != VK_SUCCESS) return;
    context->next.GetPipelineIndirectMemoryRequirementsNV(device, &copy, requirements);
}

}  // namespace coopvk::layer
