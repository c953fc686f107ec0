// SPDX-License-Identifier: Apache-2.0
#include "device/kept_extensions.hpp"

#include <string_view>

#include "device/extension_depends.hpp"

namespace coopvk::layer {
namespace {

// Calls visit(extension, on what it depends by the registry) until that changes nothing any more.
template <typename Visit>
void untilStable(const Visit& visit) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
            if (const ExtensionDepends* row = findDepends(info.vulkanName))
                changed = visit(info.extension, row->expression) || changed;
    }
}

// The extensions that the setting names, and those on which they depend.
rewrite::ExtensionSet askedFor(const EmulatePolicy& policy) {
    rewrite::ExtensionSet asked = policy.list;
    const auto stateOf = [&](std::string_view term) {
        const auto extension = rewrite::extensionFromVulkanName(term);
        return !extension || asked.contains(*extension) ? Term::kHolds : Term::kPossible;
    };
    untilStable([&](rewrite::Extension extension, std::string_view depends) {
        if (!asked.contains(extension)) return false;
        const auto needed = leastTerms(depends, stateOf);
        if (!needed || needed->empty()) return false;
        for (const std::string_view name : *needed)
            asked.insert(*rewrite::extensionFromVulkanName(name));
        return true;
    });
    return asked;
}

}  // namespace

rewrite::ExtensionSet keptFrom(const EmulatePolicy& policy, const DeviceFacts& facts) {
    rewrite::ExtensionSet kept;
    const rewrite::ExtensionSet asked = askedFor(policy);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (policy.avoided.contains(info.extension) && !asked.contains(info.extension))
            kept.insert(info.extension);
    const auto stateOf = [&](std::string_view term) {
        const auto extension = rewrite::extensionFromVulkanName(term);
        const bool isThere = !extension || !kept.contains(*extension);
        return isThere || facts.native.contains(*extension) ? Term::kHolds : Term::kFails;
    };
    untilStable([&](rewrite::Extension extension, std::string_view depends) {
        if (asked.contains(extension) || kept.contains(extension) || leastTerms(depends, stateOf))
            return false;
        kept.insert(extension);
        return true;
    });
    return kept;
}

}  // namespace coopvk::layer
