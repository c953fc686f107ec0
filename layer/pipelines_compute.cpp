// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pipeline_batch.hpp"
#include "registry.hpp"
#include "stage_builder.hpp"

namespace coopvk::layer {

VkResult createComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                const VkComputePipelineCreateInfo* infos,
                                const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const VkComputePipelineCreateInfo* list, VkPipeline* out) {
        return context->next.CreateComputePipelines(device, cache, n, list, allocator, out);
    };
    if (context->emulated.empty()) return create(count, infos, pipelines);
    BuiltStages built(*context, allocator);
    return createPipelineBatch(
        std::span(infos, count), pipelines, built.scratch(),
        [&](VkComputePipelineCreateInfo& info, bool& changed) {
            return built.build(info.stage, changed);
        },
        create);
}

}  // namespace coopvk::layer
