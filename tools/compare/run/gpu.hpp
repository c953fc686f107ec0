// SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: a separate Vulkan instance and device, without coopvk's layer or with
// it.
#pragma once

#include <volk.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/vulkan_newer.hpp"
#include "gpu_setup.hpp"
#include "work.hpp"

namespace coopvk::compare {

enum class SideKind { kNative, kEmulated };
std::string_view nameOf(SideKind side);

struct GpuOptions {
    uint32_t index = 0;     // among the devices that the environment leaves
    std::string extension;  // under comparison: enabled where the device lists it, with those
                            // that it rests on
    std::string backEnd;    // of the layer
    std::string logLevel = "error";
};

// Whether the loader knows coopvk's layer by its name, as an explicit one.
bool layerIsListed();

// All features that cases need, as the device reports them and as they are enabled.
struct Features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR khrMatrix;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV nvMatrix;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV nvMatrix2;
    VkPhysicalDeviceCooperativeVectorFeaturesNV nvVector;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8;
    VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT microscaling;
};

// Much more than any case needs; after that the driver is assumed to hang. CPU drivers compile
// within this time, too: on a machine with other work, one case took more than a minute.
inline constexpr uint64_t kTimeout = 600ull * 1000 * 1000 * 1000;

class Gpu {
 public:
    Gpu(SideKind side, const GpuOptions& options);
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;
    ~Gpu();

    // The device lists the extension under comparison and its feature.
    bool hasExtension() const { return hasExtension_; }
    std::string name() const;  // the device's and its driver's
    vulkan::DeviceRef ref() const {
        return {physical, vki.vkGetPhysicalDeviceMemoryProperties, device, vk};
    }
    // Records with `record`, submits and waits.
    template <typename Record>
    void submit(const Record& record) {
        commands_->run(record, kTimeout);
    }

    SideKind side;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queueFamily = 0;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan13Properties properties13{};
    VkPhysicalDeviceDriverProperties driver{};
    VkPhysicalDeviceCooperativeVectorPropertiesNV vectorProperties{};
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV matrix2Properties{};
    Features features{};
    VolkInstanceTable vki{};
    VolkDeviceTable vk{};

 private:
    void createInstance(const GpuOptions& options);
    void choosePhysicalDevice(uint32_t index);
    bool layerIsPresent() const;
    void queryDevice(const std::string& extension);
    void createDevice(const std::string& extension);

    bool hasExtension_ = false;
    std::vector<std::string> formats_;  // extensions of formats that the device lists
    std::optional<vulkan::Commands> commands_;
};

}  // namespace coopvk::compare
