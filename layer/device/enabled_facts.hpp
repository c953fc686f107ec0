// SPDX-License-Identifier: Apache-2.0
//
// What a VkDevice has: of the features that its physical device supports, only those that were
// enabled on it, by the application or by the layer.
#pragma once

#include <vulkan/vulkan.h>

#include "device/device_facts.hpp"

namespace coopvk::layer {

// The features of featureTable() that the create info enables. `info` is what the driver gets.
FeatureSet enabledFeatures(const VkDeviceCreateInfo& info);

// The facts of a device that was made with `info`, on which `emulated` is emulated. `physical` are
// those of its physical device.
DeviceFacts enabledFacts(const DeviceFacts& physical, const VkDeviceCreateInfo& info,
                         rewrite::ExtensionSet emulated);

}  // namespace coopvk::layer
