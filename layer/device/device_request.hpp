// SPDX-License-Identifier: Apache-2.0
//
// The create info that vkCreateDevice passes to the next layer, in place of the application's.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "chain/scratch.hpp"
#include "device/physical_device.hpp"

namespace coopvk::layer {

struct DeviceRequest {
    VkResult result =
        VK_SUCCESS;       // an error if the application asks for something that does not exist
    std::string message;  // and why
    VkDeviceCreateInfo info = {};    // to pass down; in scratch and application memory
    rewrite::ExtensionSet emulated;  // of what the application asks for
    bool addsShapes = false;         // see rewrite::Target::addsShapes
    bool replacesLayout = false;     // see rewrite::Target::replacesLayout
};

// Removes emulated extensions and features, and enables those features of the device that the
// emulation needs. Does not write to the application's memory.
DeviceRequest makeDeviceRequest(const PhysicalDeviceContext& device,
                                const VkDeviceCreateInfo& original, Scratch& scratch);

}  // namespace coopvk::layer
