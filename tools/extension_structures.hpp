// SPDX-License-Identifier: Apache-2.0
//
// What a program enables of coopvk's extensions.
#pragma once

#include "compute_device.hpp"
#include "device/extension_rows.hpp"

namespace coopvk::tool {

inline vulkan::FeatureStructure structureOf(rewrite::Extension extension) {
    const layer::ExtensionRow& row = layer::extensionRow(extension);
    const char* const name = rewrite::info(extension).vulkanName.data();
    // Others are members of a structure of Vulkan 1.2.
    return row.aggregateType == VK_STRUCTURE_TYPE_MAX_ENUM
               ? vulkan::FeatureStructure{name, row.featureType, row.featureSize}
               : vulkan::FeatureStructure{name};
}

}  // namespace coopvk::tool
