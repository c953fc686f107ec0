// SPDX-License-Identifier: Apache-2.0
//
// A device with coopvk's extensions, and all features that it lists.
#pragma once

#include <volk.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "gpu_setup.hpp"
#include "work.hpp"

namespace coopvk::compare {

class ShaderDevice {
 public:
    // Throws where there is no such device, or where the layer does not offer an extension on it.
    ShaderDevice(uint32_t index, std::span<const rewrite::Extension> extensions,
                 const std::string& backEnd);
    ~ShaderDevice();
    ShaderDevice(const ShaderDevice&) = delete;
    ShaderDevice& operator=(const ShaderDevice&) = delete;

    uint32_t lanes() const { return properties11_.subgroupSize; }
    bool hasFullSubgroups() const { return v13_.computeFullSubgroups != VK_FALSE; }
    // Whether a pipeline can require the size.
    bool choosesSize() const;
    vulkan::DeviceRef ref() const {
        return {physical, vki.vkGetPhysicalDeviceMemoryProperties, device, vk};
    }

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VolkInstanceTable vki{};
    VolkDeviceTable vk{};
    std::optional<vulkan::Commands> commands;

 private:
    void createInstance(std::span<const rewrite::Extension> extensions, const std::string& backEnd);
    void createDevice(std::span<const rewrite::Extension> extensions);

    VkPhysicalDeviceFeatures2 core_{};
    VkPhysicalDeviceVulkan11Features v11_{};
    VkPhysicalDeviceVulkan12Features v12_{};
    VkPhysicalDeviceVulkan13Features v13_{};
    std::vector<std::vector<std::byte>> others_;  // feature structures of the extensions
    VkPhysicalDeviceVulkan11Properties properties11_{};
    VkPhysicalDeviceVulkan13Properties properties13_{};
};

}  // namespace coopvk::compare
