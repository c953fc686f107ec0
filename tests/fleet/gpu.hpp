// SPDX-License-Identifier: Apache-2.0
//
// The device at hand, through the real loader and the layer, with all that shaders may ask for
// turned on. Nothing is ever submitted to it.
#pragma once

#include <volk.h>

#include <string>
#include <string_view>
#include <vector>

#include "coopvk/vulkan_coopvk.h"
#include "gpu_setup.hpp"

namespace coopvk::fleet {

struct Features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV nvCooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM qcomConversion;
    VkPhysicalDeviceCooperativeVectorFeaturesNV cooperativeVector;
    VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicatedComposites;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8;
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4;
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blockIo;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroupLayout;
    VkPhysicalDeviceMeshShaderFeaturesEXT meshShader;
    VkPhysicalDeviceShaderObjectFeaturesEXT shaderObject;
};

class Gpu {
 public:
    // The first device that the environment leaves. Throws where there is none, where it cannot
    // tell what its compiler made of a shader, and where coopvk is not in the way.
    Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;
    ~Gpu();

    bool has(std::string_view extension) const { return vulkan::contains(extensions, extension); }
    // Sizes that compute shaders may ask for; the one that the device has where they may not.
    std::vector<uint32_t> subgroupSizes() const;
    bool canRequireSize() const;

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan12Properties properties12{};
    VkPhysicalDeviceVulkan13Properties properties13{};
    Features features{};
    std::vector<std::string> extensions;
    VolkInstanceTable vki{};
    VolkDeviceTable vk{};

 private:
    void createInstance();
    void queryDevice();
};

}  // namespace coopvk::fleet
