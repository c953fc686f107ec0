// SPDX-License-Identifier: Apache-2.0
//
// On which others the device extensions of Vulkan's registry depend. An expression has ',' for
// "or", '+' for "and", and parentheses where both occur. Its terms are device extensions and
// "VK_VERSION_1_1" and so on.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "device/features.hpp"

namespace coopvk::layer {

struct ExtensionDepends {
    std::string_view extension, expression;
    // Its feature structure: VkBool32 members only, behind the header. 0: none of its own.
    VkStructureType featureType;
    size_t featureCount;

    FeatureBits features() const { return {sizeof(VkBaseOutStructure), featureCount}; }
};

// Those that depend on more than a version, by name.
std::span<const ExtensionDepends> extensionDepends();
// Null for others.
const ExtensionDepends* findDepends(std::string_view extension);

enum class Term {
    kHolds,
    kPossible,  // may be made to hold
    kFails,
};
// The fewest terms that must be made to hold for the expression to hold; nullopt if it cannot.
using Terms = std::vector<std::string_view>;
std::optional<Terms> leastTerms(std::string_view expression,
                                const std::function<Term(std::string_view)>& stateOf);

// Of "VK_VERSION_1_2"; nullopt for other terms.
std::optional<uint32_t> versionOf(std::string_view term);

}  // namespace coopvk::layer
