// SPDX-License-Identifier: Apache-2.0
//
// One instance and one device that all tests of the program share, with all features that the tests
// need, or one device after the other. They are created through the real loader, and so with the
// layers that the environment names.
#pragma once

#include <volk.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/vulkan_newer.hpp"
#include "component.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "gpu_setup.hpp"
#include "shader.hpp"
#include "work.hpp"

namespace coopvk::test {

// Every feature that the tests query, as the device reports it and as it was enabled.
struct Features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceVulkan14Features v14;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV nvCooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM qcomConversion;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2;
    VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT matrixMaintenance1;
    VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV decodeVector;
    VkPhysicalDeviceShaderObjectFeaturesEXT shaderObject;
    VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicatedComposites;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroupLayout;
    VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT moduleIdentifier;
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT pipelineLibrary;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR rayTracing;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR accelerationStructure;
    VkPhysicalDevicePipelineBinaryFeaturesKHR pipelineBinary;
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generatedCommands;
    VkPhysicalDeviceCooperativeVectorFeaturesNV cooperativeVector;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat;
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditionalRendering;
    VkPhysicalDeviceMeshShaderFeaturesEXT meshShader;
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4;
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blockIo;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8;
    VkPhysicalDeviceShaderLongVectorFeaturesEXT longVector;
    VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT microscaling;
    VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE mixedDots;
};

class Context {
 public:
    // Made on the first call; throws if there is no usable device.
    static Context& get();
    // Destroys what get() made, so that validation sees leaks.
    static void shutDown();

    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context();

    bool has(std::string_view extension) const;
    // A component type that shaders may compute with and keep in storage buffers here.
    bool supports(Component type) const;
    vulkan::DeviceRef ref() const {
        return {physical, vkGetPhysicalDeviceMemoryProperties, device, vk};
    }
    // Warnings and errors since the last call, from layers and loader.
    std::vector<std::string> takeMessages();
    void addMessage(std::string text);
    // If COOPVK_TEST_FEATURES is "least", replaces the device by one that has what this shader
    // needs and nothing else. No object of the old device may exist.
    void prepareFor(const Words& words, bool controlsSubgroups);

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VolkDeviceTable vk{};
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queueFamily = 0;
    VkQueueFlags queueFlags = 0;
    std::mutex queueMutex;
    uint32_t subgroupSize = 0;
    VkPhysicalDeviceVulkan12Properties properties12{};
    VkPhysicalDeviceVulkan13Properties properties13{};
    VkPhysicalDeviceProperties properties{};
    Features features{};                  // as the physical device reports them
    Features enabled{};                   // on the device
    std::vector<std::string> extensions;  // of the device
    std::vector<std::string> tools;       // vkGetPhysicalDeviceToolProperties
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes;
    std::vector<VkCooperativeMatrixPropertiesNV> nvShapes;
    bool emulated = false;   // the layer's tool is among the tools
    bool validated = false;  // so is the validation layer's

 private:
    Context();
    void createInstance();
    void choosePhysicalDevice();
    void queryProperties();
    void queryFeatures();
    using Wanted = std::span<const vulkan::Extension<Features>>;
    void createDevice(Wanted wanted, const void* chain);
    void destroyDevice();

    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::mutex messagesMutex_;
    std::vector<std::string> messages_;
};

}  // namespace coopvk::test
