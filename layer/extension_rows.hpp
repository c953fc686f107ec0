// SPDX-License-Identifier: Apache-2.0
//
// The Vulkan side of rewrite::extensionTable(): one row per emulated extension. Listing, feature
// and property queries and device creation all read this table.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <span>

#include "coopvk/rewrite.hpp"
#include "dependents.hpp"
#include "features.hpp"

namespace coopvk::layer {

struct DeviceFacts;

struct ExtensionRow {
    rewrite::Extension extension = rewrite::Extension::kCount;
    // Its feature structure: VkBool32 members only, behind the header.
    VkStructureType featureType = VK_STRUCTURE_TYPE_MAX_ENUM;
    size_t featureSize = 0;
    FeatureBits features = {};
    size_t mainFeatureOffset = 0;  // the member that says that a driver supports it
    // Sets the members that the emulation grants; the structure arrives with its header set.
    void (*fillFeatures)(const DeviceFacts& facts, void* node) = nullptr;
    // Its property structure; VK_STRUCTURE_TYPE_MAX_ENUM where there is none.
    VkStructureType propertiesType = VK_STRUCTURE_TYPE_MAX_ENUM;
    void (*fillProperties)(const DeviceFacts& facts, void* node) = nullptr;
    // What to enable below, where supported, for the output of the rewriter.
    std::span<const Feature> needs = {};
    // What to hide of the driver's own while this is emulated; null if nothing.
    std::span<const Dependent> (*dependents)() = nullptr;
    // Shaders are rewritten also where the application did not enable the extension: for those of
    // which most applications cannot know.
    bool always = false;
};

// In the order of rewrite::Extension.
std::span<const ExtensionRow> extensionRows();
const ExtensionRow& extensionRow(rewrite::Extension extension);

}  // namespace coopvk::layer
