// SPDX-License-Identifier: Apache-2.0
//
// Everything that decides what the driver compiles, apart from the application's words: the sources
// of rewriter and layer, the settings, the driver, and what is emulated. Every identifier and key
// that applications keep on disk contains it.
#pragma once

#include <vulkan/vulkan.h>

#include "system/sha256.hpp"

namespace coopvk::layer {

struct DeviceContext;
struct PhysicalDeviceContext;
struct Settings;

// A hash with all of that in it, to which the caller adds more.
Sha256 startIdentity(const Settings& settings, const PhysicalDeviceContext& device);
// The same for a device, on which less may be emulated.
Sha256 startIdentity(const DeviceContext& device);
// For identifiers of shader modules, which depend on nothing else than their words and, by
// Vulkan's rule, what shaderModuleIdentifierAlgorithmUUID depends on.
Sha256 startIdentifier(const Settings& settings, const PhysicalDeviceContext& device);

// In place of the driver's key.
void mixIdentity(const DeviceContext& device, VkPipelineBinaryKeyKHR& key);
enum class UuidOf { kShaderBinaries, kModuleIdentifiers };
// Replaces a UUID of the driver's if coopvk emulates anything on the device: a driver knows neither
// binaries with coopvk's header nor coopvk's identifiers. With the default settings, and if coopvk
// replaces nothing of the driver's, the UUID of identifiers is the same for all versions of coopvk:
// data that programs keep by them stays valid.
void mixIdentity(const Settings& settings, const PhysicalDeviceContext& device, UuidOf kind,
                 uint8_t (&uuid)[VK_UUID_SIZE]);

}  // namespace coopvk::layer
