// SPDX-License-Identifier: Apache-2.0
//
// The library's only exported symbols: one for each manifest. The build defines COOPVK_EXPORT.
#include <vulkan/vk_layer.h>

#include "loader/by_configuration.hpp"
#include "loader/commands.hpp"
#include "loader/pass_through.hpp"
#include "objects/guard.hpp"
#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

struct Functions {
    PFN_vkGetInstanceProcAddr getInstanceProcAddr;
    PFN_vkGetDeviceProcAddr getDeviceProcAddr;
    PFN_GetPhysicalDeviceProcAddr getPhysicalDeviceProcAddr;
};

template <auto GetInstanceProcAddr, auto GetDeviceProcAddr, auto GetPhysicalDeviceProcAddr>
constexpr Functions kGuarded = {
    Guard<"vkGetInstanceProcAddr", GetInstanceProcAddr>::call,
    Guard<"vkGetDeviceProcAddr", GetDeviceProcAddr>::call,
    Guard<"vk_layerGetPhysicalDeviceProcAddr", GetPhysicalDeviceProcAddr>::call,
};
constexpr Functions kLayer =
    kGuarded<&getInstanceProcAddr, &getDeviceProcAddr, &getPhysicalDeviceProcAddr>;
constexpr Functions kPassThrough = kGuarded<&pass::getInstanceProcAddr, &pass::getDeviceProcAddr,
                                            &pass::getPhysicalDeviceProcAddr>;
constexpr Functions kByConfiguration =
    kGuarded<&configured::getInstanceProcAddr, &configured::getDeviceProcAddr,
             &configured::getPhysicalDeviceProcAddr>;

VkResult negotiate(VkNegotiateLayerInterface* negotiation, const Functions& functions) {
    constexpr uint32_t kVersion = 2;
    if (negotiation == nullptr || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        negotiation->loaderLayerInterfaceVersion < kVersion) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    system::stayLoaded();
    const Functions& given = system::hasElevatedRights() ? kPassThrough : functions;
    negotiation->loaderLayerInterfaceVersion = kVersion;
    negotiation->pfnGetInstanceProcAddr = given.getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = given.getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = given.getPhysicalDeviceProcAddr;
    return VK_SUCCESS;
}

}  // namespace
}  // namespace coopvk::layer

namespace layer = coopvk::layer;

extern "C" COOPVK_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
    return layer::negotiate(negotiation, layer::kLayer);
}

// Its name is layer::kNegotiateByConfiguration.
extern "C" COOPVK_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
coopvkNegotiateByConfiguration(VkNegotiateLayerInterface* negotiation) {
    return layer::negotiate(negotiation, layer::kByConfiguration);
}
