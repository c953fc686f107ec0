// SPDX-License-Identifier: Apache-2.0
//
// Data graphs compute with tensors, not with matrices or vectors, so emulated capabilities have no
// meaning in them. If a graph's module declares them anyway, the layer refuses the graph, since the
// driver has a stub in place of the module.
#include "device/policy.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/pipelines.hpp"
#include "system/hash.hpp"

#ifdef VK_ARM_data_graph

namespace coopvk::layer {
namespace {

using Info = VkDataGraphPipelineCreateInfoARM;

// Null if the driver can use the graph as it is, also if the graph is a model or is named by an
// identifier.
ShaderWordsRef graphWords(const DeviceContext& device, const Info& info) {
    const auto* graph = findNode<VkDataGraphPipelineShaderModuleCreateInfoARM>(
        info.pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
    if (graph == nullptr) return nullptr;
    if (graph->module != VK_NULL_HANDLE) return device.modules.find(graph->module);
    const auto* code =
        findNode<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    return code != nullptr ? emulatedWords(device, code->codeSize, code->pCode) : nullptr;
}

VkResult refuseEmulated(BuiltStages& built, Info& info, bool&) {
    DeviceContext& device = built.device();
    const ShaderWordsRef words = graphWords(device, info);
    if (words == nullptr) return VK_SUCCESS;
    const std::string line = "cannot rewrite data graph " + hexName(words->hash) +
                             ": it declares " +
                             namesOf(rewrite::scan(words->words, device.emulated)) +
                             ", which coopvk emulates in shaders only";
    device.log().error(line);
    if (device.statistics != nullptr) device.statistics->refused(line);
    return VK_ERROR_UNKNOWN;
}

}  // namespace

VkResult createDataGraphPipelines(VkDevice device, VkDeferredOperationKHR operation,
                                  VkPipelineCache cache, uint32_t count, const Info* infos,
                                  const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const Info* list, VkPipeline* out) {
        // As for ray tracing: if an array has failures, its pipelines are created one by one.
        const VkDeferredOperationKHR here = n == count ? operation : VK_NULL_HANDLE;
        return context->next.CreateDataGraphPipelinesARM(device, here, cache, n, list, allocator,
                                                         out);
    };
    return createPipelines(*context, allocator, std::span(infos, count), pipelines, refuseEmulated,
                           create);
}

}  // namespace coopvk::layer

#endif
