// SPDX-License-Identifier: Apache-2.0
#include "system/text.hpp"

#include <array>
#include <cstdint>

namespace coopvk::layer {
namespace {

constexpr size_t kMaxShown = 80;  // bytes of a quoted text

// The first character of a text: how many bytes it has, and whether it can be shown.
struct Character {
    size_t size = 1;
    bool isPrintable = false;
};

// Characters that change the direction of a text can make it look like another one.
bool isDirection(uint32_t code) {
    return (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

// Bytes that are no UTF-8 (RFC 3629) are characters that cannot be shown.
Character firstOf(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {1, !isControl(text[0])};
    const size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return {};
    uint32_t code = byte(0) & (0x7fu >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast[size] || code > 0x10ffff || isSurrogate) return {};
    const bool isControlCode = code < 0xa0;  // C1: some terminals take them for commands
    return {size, !isControlCode && !isDirection(code)};
}

}  // namespace

size_t findUnprintable(std::string_view text, std::string_view allowed) {
    for (size_t at = 0; at < text.size();) {
        const Character next = firstOf(text.substr(at));
        if (!next.isPrintable && allowed.find(text[at]) == allowed.npos) return at;
        at += next.size;
    }
    return text.npos;
}

std::string printable(std::string_view text, std::string_view allowed) {
    std::string result;
    while (!text.empty()) {
        const size_t plain = std::min(findUnprintable(text, allowed), text.size());
        result += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const size_t size = firstOf(text).size;
        for (const char c : text.substr(0, size)) {
            const auto byte = static_cast<unsigned char>(c);
            result += "\\x";
            result += "0123456789abcdef"[byte >> 4];
            result += "0123456789abcdef"[byte & 15u];
        }
        text.remove_prefix(size);
    }
    return result;
}

std::string shortened(std::string_view text) {
    if (text.size() <= kMaxShown) return printable(text);
    // A character that is not over at the end begins at most three bytes before it.
    size_t end = kMaxShown;
    for (size_t start = kMaxShown - 3; start < kMaxShown; ++start)
        if (start + firstOf(text.substr(start)).size > kMaxShown) end = start;
    return printable(text.substr(0, end)) + "...";
}

std::string inQuotes(std::string_view text) { return "'" + shortened(text) + "'"; }

}  // namespace coopvk::layer
