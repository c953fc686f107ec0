// SPDX-License-Identifier: Apache-2.0
//
// Objects of graphics, which are accepted and never used. Programs may make some on any device.
#include "command_buffer.hpp"

namespace coopvk::reference::icd {

// Pipelines without a program.
VkResult CreateGraphicsPipelines(Device& device, PipelineCache*, uint32_t count,
                                 const VkGraphicsPipelineCreateInfo*, Allocator, VkPipeline* out) {
    std::fill_n(out, count, VK_NULL_HANDLE);
    if (!device.settings().graphics) return VK_ERROR_FEATURE_NOT_PRESENT;
    return giveAll(&device, count, out,
                   [](uint32_t) { return std::make_shared<Pipeline>(SharedProgram{}); });
}

void GetRenderAreaGranularity(Device&, RenderPass*, VkExtent2D* out) { *out = {1, 1}; }
void GetRenderingAreaGranularity(Device&, const VkRenderingAreaInfo*, VkExtent2D* out) {
    *out = {1, 1};
}

}  // namespace coopvk::reference::icd
