// SPDX-License-Identifier: Apache-2.0
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/pipelines.hpp"

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
    return createPipelines(*context, allocator, std::span(infos, count), pipelines,
                           buildStages<Info>, create);
}

}  // namespace coopvk::layer

#endif
