// SPDX-License-Identifier: Apache-2.0
//
// What a physical device can do, asked of Vulkan through function pointers that the caller brings:
// the layer its next layer's, the command line tool the loader's.
#pragma once

#include <vulkan/vulkan.h>

#include <bitset>
#include <span>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "features.hpp"

namespace coopvk::layer {

// The layer has it on every device (queries.cpp), whether the driver knows it or not.
inline constexpr std::string_view kToolingExtension = VK_EXT_TOOLING_INFO_EXTENSION_NAME;

struct DeviceQueries {
    PFN_vkGetPhysicalDeviceProperties getProperties = nullptr;
    PFN_vkGetPhysicalDeviceFeatures getFeatures = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties enumerateExtensions = nullptr;
    // Null where the instance has neither Vulkan 1.1 nor VK_KHR_get_physical_device_properties2.
    PFN_vkGetPhysicalDeviceProperties2 getProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 getFeatures2 = nullptr;
    // Null where nobody has it.
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR getMatrixProperties = nullptr;
    // VkApplicationInfo::apiVersion, 1.0 where that is 0 or absent.
    uint32_t instanceVersion = VK_API_VERSION_1_0;
    // The instance has Vulkan 1.1 or VK_KHR_get_physical_device_properties2. Loaders have
    // getFeatures2 without, too, and then fill no structure of the chain.
    bool answersChains = true;
};

// With the core names, and with the KHR ones where those are absent. `extensions` are the
// instance's.
DeviceQueries loadDeviceQueries(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance,
                                uint32_t instanceVersion,
                                std::span<const char* const> extensions = {});

struct DeviceFacts {
    // An error where the device's extensions could not be listed: nothing else is known then.
    VkResult listing = VK_SUCCESS;
    rewrite::DeviceTraits traits;
    VkPhysicalDeviceProperties properties = {};
    // What both the instance and the device allow, without the patch number.
    uint32_t apiVersion = VK_API_VERSION_1_0;
    std::vector<VkExtensionProperties> extensions;
    FeatureSet features;  // supported, and possible to enable
    VkShaderStageFlags requiredSubgroupSizeStages = 0;
    uint32_t maxComputeWorkgroupSubgroups = 0;
    // The extensions that the device supports itself: listed, and its main feature bit set.
    rewrite::ExtensionSet native;
    // What it supports of each that it lists.
    rewrite::ExtensionFeatures nativeFeatures;
    // False where the instance cannot tell what the device supports.
    bool areFeaturesKnown = true;

    bool has(Feature feature) const { return features.test(static_cast<size_t>(feature)); }
    bool lists(std::string_view extension) const;
};

DeviceFacts queryDevice(const DeviceQueries& queries, VkPhysicalDevice device);

}  // namespace coopvk::layer
