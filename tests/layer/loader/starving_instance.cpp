// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "chain/vulkan_newer.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "fakes/allocations.hpp"
#include "loader/proc_table.hpp"
#include "settings/names.hpp"
#include "starving.hpp"

namespace coopvk::test {
namespace {

template <typename Function>
Function global(const char* name) {
    return reinterpret_cast<Function>(layer::findCommand(name)->function);
}

VkResult createInstance(Rig& rig, const char*) { return rig.makeInstance(); }

VkResult destroyInstance(Rig& rig, const char*) {
    rig.driver.destroyInstance(rig.allocator());
    return VK_SUCCESS;
}

VkResult createDevice(Rig& rig, const char*) { return rig.makeDevice(); }

VkResult destroyDevice(Rig& rig, const char* name) {
    // With its command buffers, which the fake driver does not free.
    rig.command<PFN_vkDestroyDevice>(name)(rig.device, rig.allocator());
    rig.device = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

VkResult listInstanceExtensions(Rig&, const char* name) {
    uint32_t count = 1;
    VkExtensionProperties one;
    return global<PFN_vkEnumerateInstanceExtensionProperties>(name)(layer::kLayerName, &count,
                                                                    &one);
}

VkResult listInstanceLayers(Rig&, const char* name) {
    uint32_t count = 1;
    VkLayerProperties one;
    return global<PFN_vkEnumerateInstanceLayerProperties>(name)(&count, &one);
}

VkResult getInstanceVersion(Rig&, const char* name) {
    uint32_t version = 0;
    return global<PFN_vkEnumerateInstanceVersion>(name)(&version);
}

VkResult getProc(Rig& rig, const char*) {
    EXPECT_NE(rig.driver.instanceCommand("vkCreateDevice"), nullptr);
    if (rig.device != VK_NULL_HANDLE) {
        EXPECT_NE(rig.driver.deviceCommand(rig.device, "vkDestroyDevice"), nullptr);
    }
    return VK_SUCCESS;
}

VkResult listDeviceExtensions(Rig& rig, const char* name) {
    uint32_t count = 0;
    const auto list = rig.command<PFN_vkEnumerateDeviceExtensionProperties>(name);
    return list(rig.driver.physical(), nullptr, &count, nullptr);
}

VkResult listDeviceLayers(Rig& rig, const char* name) {
    uint32_t count = 1;
    VkLayerProperties one;
    const auto list = rig.command<PFN_vkEnumerateDeviceLayerProperties>(name);
    return list(rig.driver.physical(), &count, &one);
}

// The chain is whole afterwards, with the layer's own structures and the others.
VkResult getFeatures(Rig& rig, const char* name) {
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blocks = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, &blocks};
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK, &matrices};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &int4};
    rig.command<PFN_vkGetPhysicalDeviceFeatures2>(name)(rig.driver.physical(), &features);
    const WorkingAllocations here;
    EXPECT_EQ(features.pNext, &int4);
    EXPECT_EQ(int4.pNext, &matrices);
    EXPECT_EQ(matrices.pNext, &blocks);
    EXPECT_EQ(blocks.pNext, nullptr);
    return VK_SUCCESS;
}

VkResult getPlainProperties(Rig& rig, const char* name) {
    VkPhysicalDeviceProperties properties = {};
    rig.command<PFN_vkGetPhysicalDeviceProperties>(name)(rig.driver.physical(), &properties);
    const WorkingAllocations here;
    EXPECT_STREQ(properties.deviceName, "fake device");
    return VK_SUCCESS;
}

VkResult getProperties(Rig& rig, const char* name) {
    VkPhysicalDeviceShaderObjectPropertiesEXT objects = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT};
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrices = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR, &objects};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              &matrices};
    rig.command<PFN_vkGetPhysicalDeviceProperties2>(name)(rig.driver.physical(), &properties);
    const WorkingAllocations here;
    EXPECT_EQ(properties.pNext, &matrices);
    EXPECT_EQ(matrices.pNext, &objects);
    return VK_SUCCESS;
}

// Queries of arrays, each with an array for one element.
template <typename Element>
VkResult queryArray(Rig& rig, const char* name) {
    using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Element*);
    uint32_t count = 1;
    Element one = {};
    const VkResult result = rig.command<Query>(name)(rig.driver.physical(), &count, &one);
    return result == VK_INCOMPLETE ? VK_SUCCESS : result;
}

VkResult queryGranularities(Rig& rig, const char* name) {
    VkPhysicalDeviceCooperativeMatrixInfo2EXT info = {};
    info.scope = VK_SCOPE_SUBGROUP_KHR;
    uint32_t count = 1;
    VkCooperativeMatrixProperties2EXT one = {};
    const VkResult result = rig.command<PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT>(
        name)(rig.driver.physical(), &info, &count, &one);
    return result == VK_INCOMPLETE ? VK_SUCCESS : result;
}

const StarvingCommand kInstanceCommands[] = {
    {"vkCreateInstance", Before::kNothing, createInstance},
    {"vkDestroyInstance", Before::kInstance, destroyInstance},
    {"vkEnumerateInstanceExtensionProperties", Before::kNothing, listInstanceExtensions},
    {"vkEnumerateInstanceLayerProperties", Before::kNothing, listInstanceLayers},
    {"vkEnumerateInstanceVersion", Before::kNothing, getInstanceVersion},
    {"vkGetInstanceProcAddr", Before::kInstance, getProc},
    {"vkGetDeviceProcAddr", Before::kDevice, getProc},
    {"vkCreateDevice", Before::kInstance, createDevice},
    {"vkDestroyDevice", Before::kDevice, destroyDevice},
    {"vkEnumerateDeviceExtensionProperties", Before::kInstance, listDeviceExtensions},
    {"vkEnumerateDeviceLayerProperties", Before::kInstance, listDeviceLayers},
    {"vkGetPhysicalDeviceFeatures2", Before::kInstance, getFeatures},
    {"vkGetPhysicalDeviceFeatures2KHR", Before::kInstance, getFeatures},
    {"vkGetPhysicalDeviceProperties", Before::kInstance, getPlainProperties},
    {"vkGetPhysicalDeviceProperties2", Before::kInstance, getProperties},
    {"vkGetPhysicalDeviceProperties2KHR", Before::kInstance, getProperties},
    {"vkGetPhysicalDeviceToolProperties", Before::kInstance,
     queryArray<VkPhysicalDeviceToolProperties>},
    {"vkGetPhysicalDeviceToolPropertiesEXT", Before::kInstance,
     queryArray<VkPhysicalDeviceToolProperties>},
    {"vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", Before::kInstance,
     queryArray<VkCooperativeMatrixPropertiesKHR>},
    {"vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", Before::kInstance,
     queryArray<VkCooperativeMatrixFlexibleDimensionsPropertiesNV>},
    {"vkGetPhysicalDeviceCooperativeMatrixProperties2EXT", Before::kInstance, queryGranularities},
    {"vkGetPhysicalDeviceCooperativeMatrixPropertiesNV", Before::kInstance,
     queryArray<VkCooperativeMatrixPropertiesNV>},
    {"vkGetPhysicalDeviceCooperativeVectorPropertiesNV", Before::kInstance,
     queryArray<VkCooperativeVectorPropertiesNV>},
    {"vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK", Before::kInstance,
     queryArray<VkCooperativeMatrixInt4PropertiesCOOPVK>},
    {"vkGetPhysicalDeviceShader2DBlockSizesCOOPVK", Before::kInstance,
     queryArray<VkShader2DBlockSizesCOOPVK>},
};

}  // namespace

std::span<const StarvingCommand> starvingInstanceCommands() { return kInstanceCommands; }

}  // namespace coopvk::test
