// SPDX-License-Identifier: Apache-2.0
//
// coopvk's own patterns against those of fnmatch(3).
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "system/pattern.hpp"

namespace coopvk::layer::posix_pattern_test {
namespace {

// All texts of at most `most` of these letters.
std::vector<std::string> textsOf(std::string_view letters, size_t most) {
    std::vector<std::string> texts = {""};
    for (size_t begin = 0, length = 0; length < most; ++length) {
        const size_t end = texts.size();
        for (; begin < end; ++begin)
            for (const char c : letters) texts.push_back(texts[begin] + c);
    }
    return texts;
}

TEST(Patterns, MatchWhatThoseOfTheSystemMatch) {
    const auto names = textsOf("aBc-", 3);
    size_t wrong = 0;
    for (const std::string& pattern : textsOf("aBc*?[]!-", 5)) {
        for (const bool ignoreCase : {false, true}) {
            for (const std::string& name : names) {
                const bool expected =
                    ::fnmatch(pattern.c_str(), name.c_str(), ignoreCase ? FNM_CASEFOLD : 0) == 0;
                if (system::matchesWithoutFnmatch(pattern, name, ignoreCase) == expected) continue;
                if (++wrong <= 10) ADD_FAILURE() << pattern << " " << name << " " << ignoreCase;
            }
        }
    }
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace coopvk::layer::posix_pattern_test
