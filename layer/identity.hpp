// SPDX-License-Identifier: Apache-2.0
//
// What else than an application's words decides what the driver compiles: the layer's version, the
// settings, the driver, and what is emulated. Part of every identifier and key that applications
// keep on disk.
#pragma once

#include <vulkan/vulkan.h>

#include "sha256.hpp"

namespace coopvk::layer {

struct DeviceContext;
struct PhysicalDeviceContext;
struct Settings;

// A hash with all of that in it, to which the caller adds more.
Sha256 startIdentity(const Settings& settings, const PhysicalDeviceContext& device);
// The same for a device, on which less may be emulated.
Sha256 startIdentity(const DeviceContext& device);

// In place of the driver's key.
void mixIdentity(const DeviceContext& device, VkPipelineBinaryKeyKHR& key);
// In place of the driver's UUID of shader object binaries.
void mixIdentity(const Settings& settings, const PhysicalDeviceContext& device,
                 uint8_t (&uuid)[VK_UUID_SIZE]);

}  // namespace coopvk::layer
