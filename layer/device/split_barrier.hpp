// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_facts.hpp"

namespace coopvk::layer {

// Bytes of shared memory that the driver reserves in shaders with split barriers
// (VkPhysicalDeviceShaderSplitBarrierPropertiesEXT); 0 if it has none.
inline uint32_t splitBarrierSharedMemory([[maybe_unused]] const DeviceQueries& queries,
                                         [[maybe_unused]] VkPhysicalDevice device,
                                         [[maybe_unused]] const DeviceFacts& facts) {
#ifdef VK_EXT_shader_split_barrier
    if (facts.lists(VK_EXT_SHADER_SPLIT_BARRIER_EXTENSION_NAME)) {
        VkPhysicalDeviceShaderSplitBarrierPropertiesEXT split = {};
        split.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SPLIT_BARRIER_PROPERTIES_EXT;
        VkPhysicalDeviceProperties2 properties = {};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        properties.pNext = &split;
        queries.getProperties2(device, &properties);
        return split.splitBarrierReservedSharedMemory;
    }
#endif
    return 0;
}

}  // namespace coopvk::layer
