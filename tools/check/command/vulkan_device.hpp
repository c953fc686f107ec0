// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan device that executes what the reference device does: with all features that shaders may
// need and that it has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "gpu_setup.hpp"
#include "work.hpp"

namespace coopvk::tool {

class VulkanDevice {
 public:
    // `index` counts the devices that the environment leaves. Throws std::runtime_error.
    explicit VulkanDevice(uint32_t index);
    VulkanDevice(const VulkanDevice&) = delete;
    VulkanDevice& operator=(const VulkanDevice&) = delete;
    ~VulkanDevice();

    std::string name() const;  // the device's and its driver's
    // Those with which it executes compute shaders.
    std::vector<uint32_t> subgroupSizes() const;
    // The module, with a copy of the memory. What does not work is the error of the result.
    check::Execution execute(const check::DeviceRequest& request);

 private:
    void query();
    void createDevice();
    VkPipeline createPipeline(const check::DeviceRequest& request, VkPipelineLayout layout);
    check::Execution run(const check::DeviceRequest& request);

    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    uint32_t family_ = 0;
    VkPhysicalDeviceProperties properties_{};
    VkPhysicalDeviceDriverProperties driver_{};
    VkPhysicalDeviceVulkan11Properties properties11_{};
    VkPhysicalDeviceVulkan13Properties properties13_{};
    VkPhysicalDeviceVulkan13Features features13_{};
    bool hasAddresses_ = false;
    VolkInstanceTable vki_{};
    VolkDeviceTable vk_{};
};

}  // namespace coopvk::tool
