// SPDX-License-Identifier: Apache-2.0
#include "settings/emulate_policy.hpp"

#include "system/text.hpp"

namespace coopvk::layer {

EmulatePolicy EmulatePolicy::parse(std::string_view text, std::vector<std::string>& complaints) {
    EmulatePolicy policy;
    text = trimmed(text);
    if (text.empty()) return policy;
    if (text == "all") {
        policy.mode = Mode::kAll;
        return policy;
    }
    policy.mode = Mode::kList;
    while (!text.empty()) {
        const std::string_view name = trimmed(takeUntil(',', text));
        if (name.empty()) continue;
        if (name == "auto") {
            policy.mode = Mode::kAuto;
        } else if (const auto extension = rewrite::extensionFromVulkanName(name)) {
            policy.list.insert(*extension);
        } else {
            complaints.push_back("setting emulate: unknown extension " + inQuotes(name));
        }
    }
    return policy;
}

}  // namespace coopvk::layer
