// SPDX-License-Identifier: Apache-2.0
//
// The Vulkan side of rewrite::extensionTable(): one row per emulated extension. Listing, feature
// and property queries and device creation all read this table.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <span>
#include <string>

#include "coopvk/rewrite.hpp"
#include "device/features.hpp"

namespace coopvk::layer {

struct DeviceFacts;

// A member of a feature structure that the emulation can grant.
struct Grant {
    const char* name;
    size_t offset;
    // Whether coopvk can add it to the features that the driver itself has of the extension.
    // Shaders that use it are rewritten; all others go to the driver unchanged.
    bool besideNative = false;
    // Whether coopvk can do so on this device, which has what the extension needs; null: always.
    bool (*possible)(const DeviceFacts& facts) = nullptr;
    // Features of the device that its emulation needs besides those of the extension.
    std::span<const Feature> needs = {};
};

// Why `auto` does not offer what the driver lacks of an extension; null: it does. Programs use an
// extension if they find it, so `auto` leaves out what makes them slower than they are without it,
// and what was not measured in place of the driver's own matrices (docs/worth-it.md). The emulate
// setting can ask for it by name.
using WhyNotInAuto = const char* (*)(const DeviceFacts& facts);

#define COOPVK_GRANT(Struct, member) .name = #member, .offset = offsetof(Struct, member)

struct ExtensionRow {
    rewrite::Extension extension = rewrite::Extension::kCount;
    // Its feature structure: VkBool32 members only, behind the header.
    VkStructureType featureType = VK_STRUCTURE_TYPE_MAX_ENUM;
    size_t featureSize = 0;
    FeatureBits features = {};
    size_t mainFeatureOffset = 0;  // the member that says that a driver supports it
    // The same members of VkPhysicalDeviceVulkan1xFeatures, and the Vulkan version from which on
    // drivers have them without the extension; VK_STRUCTURE_TYPE_MAX_ENUM if there are none.
    VkStructureType aggregateType = VK_STRUCTURE_TYPE_MAX_ENUM;
    FeatureBits aggregateFeatures = {};
    uint32_t promotedIn = ~0u;
    std::span<const Grant> grants = {};
    // Its property structure; VK_STRUCTURE_TYPE_MAX_ENUM if there is none.
    VkStructureType propertiesType = VK_STRUCTURE_TYPE_MAX_ENUM;
    // Fills the structure after the driver did. `native` are the features that stay the driver's.
    void (*fillProperties)(const DeviceFacts& facts, uint32_t native, void* node) = nullptr;
    // Features that the rewriter's output needs; vkCreateDevice enables those that the device has.
    std::span<const Feature> needs = {};
    WhyNotInAuto whyNotInAuto = nullptr;  // null: `auto` offers it on all devices

    // Members of the feature structure as bits: see rewrite::ExtensionFeatures.
    uint32_t bit(size_t offset) const {
        return 1u << ((offset - features.offset) / sizeof(VkBool32));
    }
    bool isIn(VkStructureType type) const { return type == featureType || type == aggregateType; }
    // Of a node, which is a structure of one of the two types: the features that are set; sets
    // some; clears some.
    uint32_t read(const void* node) const;
    void add(void* node, uint32_t bits) const;
    void remove(void* node, uint32_t bits) const;
    // The features that can be emulated on a device; those of them that can be added to the
    // driver's own, if it has the main feature.
    uint32_t granted(const DeviceFacts& facts) const;
    uint32_t grantedBeside(const DeviceFacts& facts) const;
    // "shaderFloat4, shaderFloat6"
    std::string names(uint32_t bits) const;
    bool needsFloat16() const;
    // Why `auto` leaves it out on a device; null: it does not.
    const char* leftOutOfAuto(const DeviceFacts& facts) const;

 private:
    FeatureBits bitsIn(const void* node) const;
};

// In the order of rewrite::Extension.
std::span<const ExtensionRow> extensionRows();
const ExtensionRow& extensionRow(rewrite::Extension extension);

}  // namespace coopvk::layer
