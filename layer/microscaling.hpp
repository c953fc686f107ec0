// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_ocp_microscaling_types, for Vulkan headers that are older than it.
#pragma once

#include <vulkan/vulkan.h>

#ifndef VK_EXT_shader_ocp_microscaling_types

inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT =
    static_cast<VkStructureType>(1000672000);

struct VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
    VkStructureType sType;
    void* pNext;
    VkBool32 shaderFloat4;
    VkBool32 shaderFloat6;
    VkBool32 shaderFloat8UnsignedE8M0;
    VkBool32 shaderMXInt8;
};

#endif
