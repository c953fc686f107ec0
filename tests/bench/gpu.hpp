// SPDX-License-Identifier: Apache-2.0
//
// A separate Vulkan instance and device, with coopvk's layer or without it, so that one process can
// time both.
#pragma once

#include <volk.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/vulkan_coopvk.h"
#include "gpu_setup.hpp"
#include "work.hpp"

namespace coopvk::bench {

enum class Layer { kAbsent, kPresent };

// The layer's settings of the same names.
struct LayerSettings {
    // What to emulate, also in place of the driver's own, unless COOPVK_EMULATE says otherwise.
    const char* emulate = "all";
    const char* backEnd = "auto";
};

// All features that benchmarks need, as the device reports them and as they are enabled.
struct Features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV nvCooperativeMatrix;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV cooperativeMatrix2;
    VkPhysicalDeviceCooperativeVectorFeaturesNV cooperativeVector;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8;
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4;
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blockIo;
};

class Gpu {
 public:
    // `index` counts the devices that the environment does not hide.
    Gpu(Layer layer, uint32_t index, const LayerSettings& settings = {});
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;
    ~Gpu();

    bool has(std::string_view extension) const;
    bool isCpu() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
    // A device's name and its driver's.
    std::string name() const;
    vulkan::DeviceRef ref() const {
        return {physical, vki.vkGetPhysicalDeviceMemoryProperties, device, vk};
    }
    // Whether the device lists f16 * f16 + `sum` -> `sum` with this size, at subgroup scope.
    bool multiplies(uint32_t m, uint32_t n, uint32_t k, VkComponentTypeKHR sum) const;
    // Records with `record`, submits and waits.
    template <typename Record>
    void submit(const Record& record) {
        commands_->run(record);
    }

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queueFamily = 0;
    bool timestamps = false;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceDriverProperties driver{};
    Features features{};
    std::vector<std::string> extensions;
    VolkInstanceTable vki{};
    VolkDeviceTable vk{};

 private:
    void createInstance(Layer layer, const LayerSettings& settings);
    void checkLayer(Layer layer) const;
    void queryDevice();
    void createDevice();

    std::vector<VkCooperativeMatrixPropertiesKHR> shapes_;
    std::optional<vulkan::Commands> commands_;
};

// The two devices for a comparison: the same physical device, without and with coopvk.
struct Pair {
    explicit Pair(uint32_t index);
    Gpu native;
    Gpu emulated;
};

}  // namespace coopvk::bench
