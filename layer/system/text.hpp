// SPDX-License-Identifier: Apache-2.0
//
// Texts that users write: settings, and names in them.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace coopvk::layer {

inline std::string lowerCase(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

inline std::string upperCase(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

// Without the blanks and ends of lines around it.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n\f\v";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What is before the first separator, or all of it. Takes this and the separator from the text.
inline std::string_view takeUntil(char separator, std::string_view& text) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

// Terminals may interpret it as a part of a command.
inline bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Texts of others in messages. Characters that terminals may take for commands, that change the
// direction of a text, or that are no UTF-8 become \xNN for each of their bytes.

// The position of the first such character that is none of `allowed`.
size_t findUnprintable(std::string_view text, std::string_view allowed = {});
// Also ends of lines and tabs, unless they are allowed.
std::string printable(std::string_view text, std::string_view allowed = {});
// The same, with "..." in place of what is behind the first 80 bytes.
std::string shortened(std::string_view text);
// "'text'", shortened.
std::string inQuotes(std::string_view text);

// Windows' editors write it at the start of files.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace coopvk::layer
