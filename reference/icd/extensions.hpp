// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <set>
#include <span>
#include <string_view>

namespace coopvk::reference::icd {

enum class ExtensionKind { kInstance, kDevice };
enum class ExtensionGroup { kAlways, kCooperative };

struct ExtensionRow {
    std::string_view name;
    uint32_t version;
    ExtensionKind kind;
    ExtensionGroup group;
};

using ExtensionSet = std::set<std::string_view>;

// All of the driver.
std::span<const ExtensionRow> extensionTable();

// Those of a device. Of the cooperative ones: those that `chosen` names, with commas between, or
// "all" or "none".
ExtensionSet deviceExtensions(std::string_view chosen);

// Names that the caller asked for, of those that are in `available`; false if one is not.
bool enable(std::span<const char* const> names, const ExtensionSet& available,
            ExtensionSet& enabled);

VkResult listExtensions(ExtensionKind kind, const ExtensionSet& available, uint32_t* count,
                        VkExtensionProperties* out);

}  // namespace coopvk::reference::icd
