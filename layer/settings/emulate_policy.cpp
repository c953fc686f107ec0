// SPDX-License-Identifier: Apache-2.0
#include "settings/emulate_policy.hpp"

namespace coopvk::layer {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

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
        const size_t comma = text.find(',');
        const std::string_view name = trimmed(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (name.empty()) continue;
        if (name == "auto") {
            policy.mode = Mode::kAuto;
        } else if (const auto extension = rewrite::extensionFromVulkanName(name)) {
            policy.list.insert(*extension);
        } else {
            complaints.push_back("setting emulate: unknown extension '" + std::string(name) + "'");
        }
    }
    return policy;
}

}  // namespace coopvk::layer
