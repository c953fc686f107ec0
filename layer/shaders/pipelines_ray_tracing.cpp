// SPDX-License-Identifier: Apache-2.0
#include "objects/guard.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/pipelines.hpp"

namespace coopvk::layer {
VkResult createRayTracingPipelinesNV(VkDevice device, VkPipelineCache cache, uint32_t count,
                                     const VkRayTracingPipelineCreateInfoNV* infos,
                                     const VkAllocationCallbacks* allocator,
                                     VkPipeline* pipelines) {
    using Info = VkRayTracingPipelineCreateInfoNV;
    const auto context = devices().find(device);
    const auto create = [&](uint32_t n, const Info* list, VkPipeline* out) {
        return context->next.CreateRayTracingPipelinesNV(device, cache, n, list, allocator, out);
    };
    return createPipelines(*context, allocator, std::span(infos, count), pipelines,
                           buildStages<Info>, create);
}

VkResult createRayTracingPipelinesKHR(VkDevice device, VkDeferredOperationKHR operation,
                                      VkPipelineCache cache, uint32_t count,
                                      const VkRayTracingPipelineCreateInfoKHR* infos,
                                      const VkAllocationCallbacks* allocator,
                                      VkPipeline* pipelines) {
    using Info = VkRayTracingPipelineCreateInfoKHR;
    const auto context = devices().find(device);
    const bool deferred = operation != VK_NULL_HANDLE;
    const auto create = [&](uint32_t n, const Info* list, VkPipeline* out) {
        // If an array has failures, its pipelines are created one by one, which one deferred
        // operation cannot do.
        const VkDeferredOperationKHR here = n == count ? operation : VK_NULL_HANDLE;
        return context->next.CreateRayTracingPipelinesKHR(device, here, cache, n, list, allocator,
                                                          out);
    };
    if (!context->rewrites()) return create(count, infos, pipelines);
    std::fill_n(pipelines, count, VkPipeline(VK_NULL_HANDLE));

    // A deferred operation reads what was built until it is complete. The application's
    // allocator need not be valid that long.
    const auto built = std::make_shared<BuiltStages>(*context, deferred ? nullptr : allocator);
    if (deferred) context->deferred.hold(operation, built);
    OnExit drop([&] { context->deferred.drop(operation); });
    const VkResult result =
        createPipelines(*built, std::span(infos, count), pipelines, buildStages<Info>, create);
    if (!deferred || result == VK_OPERATION_DEFERRED_KHR) drop.dismiss();
    return result;
}

void destroyDeferredOperation(VkDevice device, VkDeferredOperationKHR operation,
                              const VkAllocationCallbacks* allocator) {
    const auto context = devices().find(device);
    // Before the driver may give the handle to another operation.
    context->deferred.drop(operation);
    context->next.DestroyDeferredOperationKHR(device, operation, allocator);
}

}  // namespace coopvk::layer
