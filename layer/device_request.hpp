// SPDX-License-Identifier: Apache-2.0
//
// What vkCreateDevice asks of the next layer in place of what the application asked for.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "context.hpp"
#include "scratch.hpp"

namespace coopvk::layer {

struct DeviceRequest {
    VkResult result = VK_SUCCESS;    // an error where the application asks for what there is not
    std::string message;             // and why
    VkDeviceCreateInfo info = {};    // to pass down; in scratch and application memory
    rewrite::ExtensionSet emulated;  // of what the application asks for
};

// Removes emulated extensions and features, and enables what the emulation needs of those features
// that the device has. Writes nothing of the application's.
DeviceRequest makeDeviceRequest(const PhysicalDeviceContext& device,
                                const VkDeviceCreateInfo& original, Scratch& scratch);

}  // namespace coopvk::layer
