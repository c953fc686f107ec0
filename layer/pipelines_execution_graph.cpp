// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pipeline_batch.hpp"
#include "registry.hpp"
#include "stage_builder.hpp"

#ifdef VK_AMDX_shader_enqueue

namespace coopvk::layer {

VkResult createExecutionGraphPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                       const VkExecutionGraphPipelineCreateInfoAMDX* infos,
                                       const VkAllocationCallbacks* allocator,
                                       VkPipeline* pipelines) {
    using Info = VkExecutionGraphPipelineCreateInfoAMDX;
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const Info* list, VkPipeline* out) {
        return context->next.CreateExecutionGraphPipelinesAMDX(device, cache, n, list, allocator,
                                                               out);
    };
    if (context->emulated.empty()) return create(count, infos, pipelines);
    BuiltStages built(*context, allocator);
    return createPipelineBatch(
        std::span(infos, count), pipelines, built.scratch(),
        [&](Info& info, bool& changed) {
            return built.buildArray(info.stageCount, info.pStages, changed);
        },
        create);
}

}  // namespace coopvk::layer

#endif
