// SPDX-License-Identifier: Apache-2.0
//
// The device of this process, through the real loader and the layer, with all features that shaders
// may need. Nothing is ever submitted to it.
#pragma once

#include <volk.h>

#include <string>
#include <string_view>
#include <vector>

#include "chain/vulkan_newer.hpp"
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
    VkPhysicalDeviceShaderLongVectorFeaturesEXT longVector;
    VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT microscaling;
    VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE mixedDots;
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4;
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blockIo;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroupLayout;
    VkPhysicalDeviceMeshShaderFeaturesEXT meshShader;
    VkPhysicalDeviceShaderObjectFeaturesEXT shaderObject;
};

class Gpu {
 public:
    // The first device that the environment does not hide. Throws if there is none, if it cannot
    // report its compiler's output, or if coopvk is not loaded.
    Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;
    ~Gpu();

    bool has(std::string_view extension) const { return vulkan::contains(extensions, extension); }
    // Subgroup sizes that compute shaders may require; if they cannot, the device's only one.
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
    void queryDevice();
};

}  // namespace coopvk::fleet
