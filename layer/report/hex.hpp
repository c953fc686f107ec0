// SPDX-License-Identifier: Apache-2.0
//
// Bytes as text: two hexadecimal digits for each.
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::layer {

inline std::string hexText(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        text += "0123456789abcdef"[value >> 4];
        text += "0123456789abcdef"[value & 15u];
    }
    return text;
}

// Appends to `bytes`. False if the text is something else.
inline bool readHex(std::string_view text, std::vector<std::byte>& bytes) {
    for (; text.size() >= 2; text.remove_prefix(2)) {
        unsigned value = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + 2, value, 16);
        if (parsed.ec != std::errc() || parsed.ptr != text.data() + 2) return false;
        bytes.push_back(static_cast<std::byte>(value));
    }
    return text.empty();
}

}  // namespace coopvk::layer
