// SPDX-License-Identifier: Apache-2.0
//
// The devices of this machine as their drivers report them, with coopvk's layer switched off.
#pragma once

#include <volk.h>

#include <cstddef>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"

namespace coopvk::tool {

struct Device {
    layer::DeviceFacts facts;
    std::string driver;  // "llvmpipe, Mesa 26.1.6"
    // Rows of vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, where native; pNext is null.
    std::vector<VkCooperativeMatrixPropertiesKHR> nativeShapes;
    // The driver's features of other extensions that depend on emulated ones, each in its Vulkan
    // structure.
    std::vector<std::vector<std::byte>> dependentFeatures;
};

rewrite::Result<std::vector<Device>> queryDevices();

}  // namespace coopvk::tool
