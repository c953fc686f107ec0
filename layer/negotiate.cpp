// SPDX-License-Identifier: Apache-2.0
//
// The library's only exported symbol.
#include <vulkan/vk_layer.h>

#include "commands.hpp"
#include "guard.hpp"
#include "pass_through.hpp"

namespace layer = coopvk::layer;

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
    constexpr uint32_t kVersion = 2;
    if (negotiation == nullptr || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        negotiation->loaderLayerInterfaceVersion < kVersion) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    negotiation->loaderLayerInterfaceVersion = kVersion;
    if (layer::hasElevatedRights()) {
        negotiation->pfnGetInstanceProcAddr =
            layer::Guard<"vkGetInstanceProcAddr", &layer::pass::getInstanceProcAddr>::call;
        negotiation->pfnGetDeviceProcAddr =
            layer::Guard<"vkGetDeviceProcAddr", &layer::pass::getDeviceProcAddr>::call;
        negotiation->pfnGetPhysicalDeviceProcAddr =
            layer::Guard<"vk_layerGetPhysicalDeviceProcAddr",
                         &layer::pass::getPhysicalDeviceProcAddr>::call;
        return VK_SUCCESS;
    }
    negotiation->pfnGetInstanceProcAddr =
        layer::Guard<"vkGetInstanceProcAddr", &layer::getInstanceProcAddr>::call;
    negotiation->pfnGetDeviceProcAddr =
        layer::Guard<"vkGetDeviceProcAddr", &layer::getDeviceProcAddr>::call;
    negotiation->pfnGetPhysicalDeviceProcAddr =
        layer::Guard<"vk_layerGetPhysicalDeviceProcAddr", &layer::getPhysicalDeviceProcAddr>::call;
    return VK_SUCCESS;
}
