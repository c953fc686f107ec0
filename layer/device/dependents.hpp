// SPDX-License-Identifier: Apache-2.0
//
// Extensions and features that depend on the driver's implementation of an extension. While coopvk
// replaces that implementation, no module that uses it reaches the driver. So coopvk hides these
// extensions and features, unless it emulates them, too.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string_view>

#include "coopvk/rewrite.hpp"
#include "device/features.hpp"

namespace coopvk::layer {

// Features of an extension that depend on VK_KHR_cooperative_matrix. The registry tells this of
// whole extensions only (extension_depends.hpp).
struct MatrixFeatures {
    const char* extension;
    VkStructureType type;
    FeatureBits bits;
};
std::span<const MatrixFeatures> matrixFeatures();

// The driver's extensions and features that the layer hides: those that depend on an extension that
// coopvk emulates in place of the driver's own.
struct Hidden {
    rewrite::ExtensionSet emulated;            // completely or in part: never hidden
    rewrite::ExtensionSet replaced;            // completely, where the driver has it, too
    uint32_t apiVersion = VK_API_VERSION_1_1;  // of the device

    // Whether an extension of the driver must be neither listed nor enabled.
    bool hasExtension(std::string_view name) const;
    // Clears the hidden members of a feature structure.
    void clearFeatures(VkBaseOutStructure* node) const;
    // Whether a feature structure has a hidden member set.
    bool isAskedForBy(const VkBaseInStructure* node) const;
};

}  // namespace coopvk::layer
