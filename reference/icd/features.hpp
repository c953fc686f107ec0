// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "extensions.hpp"

namespace coopvk::reference::icd {

// What a device with these extensions supports.
VkPhysicalDeviceFeatures coreFeatures();
// Fills every structure of features in the chain that is known.
void fillFeatures(const ExtensionSet& extensions, void* chain);

// Whether the device has all features that the creation of a device asks for.
bool hasFeatures(const ExtensionSet& extensions, const VkDeviceCreateInfo& info);

}  // namespace coopvk::reference::icd
