// SPDX-License-Identifier: Apache-2.0
//
// The commands that query a physical device.
#include <algorithm>

#include "device/device_facts.hpp"

namespace coopvk::layer {
namespace {

template <typename Function>
void load(Function& function, PFN_vkGetInstanceProcAddr get, VkInstance instance,
          const char* name) {
    if (function == nullptr) function = reinterpret_cast<Function>(get(instance, name));
}

}  // namespace

DeviceQueries loadDeviceQueries(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                uint32_t instanceVersion, std::span<const char* const> extensions) {
    DeviceQueries queries;
    queries.instanceVersion = std::max(instanceVersion, uint32_t{VK_API_VERSION_1_0});
    queries.answersChains =
        queries.instanceVersion >= VK_API_VERSION_1_1 ||
        std::ranges::any_of(extensions, [](std::string_view name) {
            return name == VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
        });
    load(queries.getProperties, get, instance, "vkGetPhysicalDeviceProperties");
    load(queries.getFeatures, get, instance, "vkGetPhysicalDeviceFeatures");
    load(queries.enumerateExtensions, get, instance, "vkEnumerateDeviceExtensionProperties");
    if (queries.instanceVersion >= VK_API_VERSION_1_1) {
        load(queries.getProperties2, get, instance, "vkGetPhysicalDeviceProperties2");
        load(queries.getFeatures2, get, instance, "vkGetPhysicalDeviceFeatures2");
    }
    load(queries.getProperties2, get, instance, "vkGetPhysicalDeviceProperties2KHR");
    load(queries.getFeatures2, get, instance, "vkGetPhysicalDeviceFeatures2KHR");
    load(queries.getMatrixProperties, get, instance,
         "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    return queries;
}

}  // namespace coopvk::layer
