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

struct Dependent {
    // The extension to hide; null if only features of another extension depend on it.
    const char* extension = nullptr;
    VkStructureType featureType;
    FeatureBits features;  // to hide
    // It is usable also if the driver has no feature of the extension on which it depends.
    bool usableAlone = false;
    // The extension of the features, if it is not hidden but coopvk may emulate it.
    const char* featureExtension = nullptr;

    const char* owner() const { return extension != nullptr ? extension : featureExtension; }
};

// Of VK_KHR_cooperative_matrix.
std::span<const Dependent> khrMatrixDependents();
// Of VK_EXT_shader_atomic_float.
std::span<const Dependent> atomicFloatDependents();

// The extension of a structure's features if these lists contain a part of it; else null.
const char* dependentExtension(VkStructureType featureType);

// The driver's extensions and features that the layer hides.
struct Hidden {
    rewrite::ExtensionSet covered;   // that coopvk emulates completely
    rewrite::ExtensionSet emulated;  // completely or in part: never hidden
    rewrite::ExtensionSet replaced;  // those in `covered` that the driver has, too

    // Whether an extension of the driver must be neither listed nor enabled.
    bool hasExtension(std::string_view name) const;
    // Clears the hidden members of a feature structure.
    void clearFeatures(VkBaseOutStructure* node) const;
    // Whether a feature structure has a hidden member set.
    bool isAskedForBy(const VkBaseInStructure* node) const;
};

}  // namespace coopvk::layer
