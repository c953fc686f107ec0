// SPDX-License-Identifier: Apache-2.0
#include "system/pattern.hpp"

#include <gtest/gtest.h>

namespace coopvk::layer::pattern_test {
namespace {

struct Row {
    const char* pattern;
    const char* name;
    bool matches;
};
constexpr Row kRows[] = {
    {"", "", true},
    {"", "a", false},
    {"a", "", false},
    {"game.exe", "game.exe", true},
    {"game.exe", "game.exe2", false},
    {"*", "", true},
    {"*", "anything", true},
    {"llama-*", "llama-cli", true},
    {"llama-*", "llama", false},
    {"*.exe", "a.exe.exe", true},
    {"*.exe", "a.exe.txt", false},
    {"a*b*c", "aXbYc", true},
    {"a*b*c", "aXcYb", false},
    {"?", "x", true},
    {"?", "", false},
    {"a?c", "abc", true},
    {"a?c", "abbc", false},
    {"[a-c]x", "bx", true},
    {"[a-c]x", "dx", false},
    {"[a-cz]", "z", true},
    {"[!a-c]", "b", false},
    {"[!a-c]", "d", true},
    {"[^a]", "b", true},
    {"[]a]", "]", true},
    {"[!]a]", "]", false},
    {"[!]a]", "b", true},
    {"[a-]", "-", true},
    {"[a", "[a", true},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"A*", "abc", false},
};

TEST(Patterns, Match) {
    for (const Row& row : kRows)
        EXPECT_EQ(system::matchesWithoutFnmatch(row.pattern, row.name, false), row.matches)
            << row.pattern << " " << row.name;
}

TEST(Patterns, WithoutCase) {
    EXPECT_TRUE(system::matchesWithoutFnmatch("GAME*.Exe", "game1.EXE", true));
    EXPECT_TRUE(system::matchesWithoutFnmatch("[A-C]", "b", true));
    EXPECT_FALSE(system::matchesWithoutFnmatch("[A-C]", "d", true));
}

}  // namespace
}  // namespace coopvk::layer::pattern_test
