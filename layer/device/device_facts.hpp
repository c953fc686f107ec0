// SPDX-License-Identifier: Apache-2.0
//
// Queries what a physical device can do, through function pointers from the caller. The layer
// passes those of the next layer, the command line tool those of the loader.
#pragma once

#include <vulkan/vulkan.h>

#include <bitset>
#include <span>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "device/features.hpp"
#include "settings/shown_ids.hpp"

namespace coopvk::layer {

// The layer offers it on every device (queries.cpp), also if the driver does not know it.
inline constexpr std::string_view kToolingExtension = VK_EXT_TOOLING_INFO_EXTENSION_NAME;

struct DeviceQueries {
    PFN_vkGetPhysicalDeviceProperties getProperties = nullptr;
    PFN_vkGetPhysicalDeviceFeatures getFeatures = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties enumerateExtensions = nullptr;
    // Null if the instance has neither Vulkan 1.1 nor VK_KHR_get_physical_device_properties2.
    PFN_vkGetPhysicalDeviceProperties2 getProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 getFeatures2 = nullptr;
    // Null if neither the driver nor a layer has it.
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR getMatrixProperties = nullptr;
    // VkApplicationInfo::apiVersion, 1.0 where that is 0 or absent.
    uint32_t instanceVersion = VK_API_VERSION_1_0;
    // Whether the instance has Vulkan 1.1 or VK_KHR_get_physical_device_properties2. Without these,
    // loaders also have getFeatures2, but it fills no structure of the chain.
    bool answersChains = true;
};

// Uses the core names, or the KHR names if the core names are absent. `extensions` are the
// instance's.
DeviceQueries loadDeviceQueries(PFN_vkGetInstanceProcAddr getInstanceProcAddr, VkInstance instance,
                                uint32_t instanceVersion,
                                std::span<const char* const> extensions = {});

struct DeviceFacts {
    // An error if the device's extensions could not be listed; then nothing else is known.
    VkResult listing = VK_SUCCESS;
    rewrite::DeviceTraits traits;
    VkPhysicalDeviceProperties properties = {};
    DeviceIds ids;  // its own
    // The version that both the instance and the device allow, without the patch number.
    uint32_t apiVersion = VK_API_VERSION_1_0;
    std::vector<VkExtensionProperties> extensions;
    FeatureSet features;            // supported, and possible to enable
    VkShaderStageFlags stages = 0;  // of all kinds of pipelines
    VkShaderStageFlags requiredSubgroupSizeStages = 0;
    uint32_t maxComputeWorkgroupSubgroups = 0;
    // The extensions that the device supports itself: listed, and its main feature bit set.
    rewrite::ExtensionSet native;
    // The features that it supports, of each extension that it lists.
    rewrite::ExtensionFeatures nativeFeatures;
    // False if the instance cannot query what the device supports.
    bool areFeaturesKnown = true;

    bool has(Feature feature) const { return features.test(static_cast<size_t>(feature)); }
    bool lists(std::string_view extension) const { return listedName(extension) != nullptr; }
    // The extension's name in the driver's list, or null.
    const char* listedName(std::string_view extension) const;
};

DeviceFacts queryDevice(const DeviceQueries& queries, VkPhysicalDevice device);

}  // namespace coopvk::layer
