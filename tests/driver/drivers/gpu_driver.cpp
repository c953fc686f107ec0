// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan driver whose device is called a GPU: lavapipe with another device type. On CPUs coopvk's
// back-end `auto` never takes the driver's own matrices.
#include "forwarding.hpp"

namespace coopvk::test {
namespace {

// For the instance that was queried last: lavapipe has the same functions for all.
PFN_vkGetPhysicalDeviceProperties nextProperties = nullptr;
PFN_vkGetPhysicalDeviceProperties2 nextProperties2 = nullptr;

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice device,
                                         VkPhysicalDeviceProperties* properties) {
    nextProperties(device, properties);
    properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties2* properties) {
    nextProperties2(device, properties);
    properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

}  // namespace

PFN_vkVoidFunction hooked(std::string_view name, PFN_vkVoidFunction below) {
    if (name == "vkGetPhysicalDeviceProperties") return hook(below, nextProperties, &getProperties);
    if (name == "vkGetPhysicalDeviceProperties2" || name == "vkGetPhysicalDeviceProperties2KHR") {
        return hook(below, nextProperties2, &getProperties2);
    }
    return below;
}

}  // namespace coopvk::test
