// SPDX-License-Identifier: Apache-2.0
//
// Changes the text of a module, for tests.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace coopvk::test {

// Replaces the first occurrence of each text by another, one after the other. Fails the test if
// there is none.
inline std::string edited(
    std::string text,
    std::initializer_list<std::pair<std::string_view, std::string_view>> replacements) {
    for (const auto& [from, to] : replacements) {
        const size_t at = text.find(from);
        if (at == std::string::npos) {
            ADD_FAILURE() << "the module has no '" << from << "'";
            continue;
        }
        text.replace(at, from.size(), to);
    }
    return text;
}

inline size_t occurrences(std::string_view text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

}  // namespace coopvk::test
