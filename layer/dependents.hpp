// SPDX-License-Identifier: Apache-2.0
//
// Extensions and features that build on an extension's native implementation. While coopvk replaces
// it, no module that uses it reaches the driver: extensions and features that build on it are
// hidden, unless coopvk emulates them, too.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string_view>

#include "coopvk/rewrite.hpp"
#include "features.hpp"

namespace coopvk::layer {

struct Dependent {
    // The extension to hide; null where only features of another extension build on it.
    const char* extension;
    // VK_STRUCTURE_TYPE_MAX_ENUM where there is no feature structure.
    VkStructureType featureType;
    FeatureBits features;  // to hide
    // It is worth something also where the driver has no feature of what it builds on.
    bool usableAlone = false;
    // The extension that the features are of, where that is not hidden but coopvk may emulate it.
    const char* featureExtension = nullptr;

    const char* owner() const { return extension != nullptr ? extension : featureExtension; }
};

// Of VK_KHR_cooperative_matrix.
std::span<const Dependent> khrMatrixDependents();
// Of VK_EXT_shader_atomic_float.
std::span<const Dependent> atomicFloatDependents();

// The extension that a structure's features belong to, where something of it is in these lists;
// else null.
const char* dependentExtension(VkStructureType featureType);

// What the layer hides of the driver's extensions and features.
struct Hidden {
    rewrite::ExtensionSet covered;   // that coopvk emulates completely
    rewrite::ExtensionSet emulated;  // completely or in part: never hidden
    rewrite::ExtensionSet replaced;  // those in `covered` that the driver has, too

    // Whether an extension of the driver must not be listed nor enabled.
    bool hasExtension(std::string_view name) const;
    // Clears the hidden members of a feature structure.
    void clearFeatures(VkBaseOutStructure* node) const;
    // Whether a feature structure has a hidden member set.
    bool isAskedForBy(const VkBaseInStructure* node) const;
};

}  // namespace coopvk::layer
