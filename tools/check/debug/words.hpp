// SPDX-License-Identifier: Apache-2.0
//
// Words and numbers of a line that somebody typed.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

// Without empty parts.
inline std::vector<std::string> split(std::string_view text, char between) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find(between), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

// A whole number, decimal or 0x...; nothing: it is none.
inline std::optional<uint64_t> numberIn(std::string_view text) {
    const bool isHex = text.starts_with("0x");
    if (isHex) text.remove_prefix(2);
    uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, isHex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace coopvk::tool
