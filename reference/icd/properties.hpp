// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "instance.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {

inline constexpr uint32_t kMaxSets = 32;
inline constexpr uint32_t kMaxPushConstantBytes = 256;
inline constexpr uint32_t kMaxPushDescriptors = 32;
inline constexpr uint32_t kMaxUpdateBytes = 65536;  // of vkCmdUpdateBuffer
inline constexpr VkDeviceSize kBufferAlignment = 64;

struct AllProperties {
    VkPhysicalDeviceProperties core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
    VkPhysicalDeviceVulkan14Properties v14;
};
AllProperties propertiesOf(const PhysicalDevice& device);

VkPhysicalDeviceLimits limits();

}  // namespace coopvk::reference::icd
