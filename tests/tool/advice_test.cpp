// SPDX-License-Identifier: Apache-2.0
#include "advise/advice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace coopvk::tool {
namespace {

constexpr Metric kSeconds = {" s", false};
constexpr Metric kScore = {"", true};

TEST(Advice, Medians) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 9}), 3);
}

TEST(Advice, Noise) {
    EXPECT_DOUBLE_EQ(deviation({10, 20, 30}), 10);
    EXPECT_NEAR(deviation({1.00, 1.00, 1.50}), 0.2887, 0.0001);
    EXPECT_GT(deviation({5, 5, 5}), 0);  // equal by chance
    EXPECT_DOUBLE_EQ(deviation({5}), 0.5);
    // By the formulas of Welch and Satterthwaite: 4 degrees of freedom, t = 2.78.
    EXPECT_NEAR(noise({{9, 10, 11}, ""}, {{19, 20, 21}, ""}), 2.78 * std::sqrt(2.0 / 3), 1e-9);
    EXPECT_EQ(noise({{0, 0}, ""}, {{0, 0}, ""}), 0);
}

TEST(Advice, Speedups) {
    const Side two = {{2}, ""}, four = {{4}, ""};
    EXPECT_EQ(speedup(two, four, kSeconds), 2);
    EXPECT_EQ(speedup(four, two, kSeconds), 0.5);
    EXPECT_EQ(speedup(four, two, kScore), 2);
    EXPECT_EQ(speedup(two, four, kScore), 0.5);
}

TEST(Advice, Differences) {
    EXPECT_TRUE(differ({{1.0}, ""}, {{2.0}, ""}));
    EXPECT_FALSE(differ({{1.0}, ""}, {{1.01}, ""}));           // of no interest
    EXPECT_FALSE(differ({{1.0, 2.0, 3.0}, ""}, {{2.5}, ""}));  // of one kind differ by as much
    EXPECT_FALSE(differ({{1.00, 1.00, 1.50}, ""}, {{1.10, 1.10, 1.10}, ""}));
    EXPECT_FALSE(differ({{1.0, 1.1, 9.0}, ""}, {{2.0, 2.1, 2.2}, ""}));  // which is right?
    EXPECT_TRUE(differ({{1.0, 1.02, 1.01}, ""}, {{1.1, 1.11, 1.12}, ""}));
    EXPECT_FALSE(differ({{1.0}, ""}, {{1.2}, ""}));  // nobody knows how runs differ
    EXPECT_FALSE(differ({{0.0}, ""}, {{0.0}, ""}));
}

TEST(Advice, Words) {
    const Side fast = {{1, 1, 1}, ""}, slow = {{4, 4, 4}, ""}, bad = {{}, "status 7"};
    struct Row {
        const Side &with, &without;
        const Metric& metric;
        const char* rewritten;
        const char* advice;  // begins so
    };
    for (const Row& row : {
             Row{fast, slow, kSeconds, "VK_X",
                 "use coopvk: the program is 4.00 times as fast with it"},
             Row{slow, fast, kSeconds, "VK_X",
                 "leave coopvk off: the program is 4.00 times as fast without it; "},
             Row{slow, fast, kScore, "VK_X",
                 "use coopvk: the program is 4.00 times as fast with it"},
             Row{fast, fast, kSeconds, "VK_X", "either: "},
             Row{fast, slow, kSeconds, "", "leave coopvk off: no shader was rewritten"},
             Row{bad, slow, kSeconds, "VK_X",
                 "leave coopvk off: the program fails with it (status 7)"},
             Row{fast, bad, kSeconds, "VK_X",
                 "use coopvk: the program fails without it (status 7)"},
             Row{bad, bad, kSeconds, "VK_X",
                 "none: the program fails without coopvk, too (status 7, and status 7 with it)"},
         }) {
        EXPECT_TRUE(
            adviceOf(row.with, row.without, row.metric, row.rewritten).starts_with(row.advice))
            << adviceOf(row.with, row.without, row.metric, row.rewritten);
    }
}

TEST(Advice, Figures) {
    constexpr std::string_view kOutput =
        "score: 12.5 and score: 1e3\nscore: x\nscored: 7\n t/s 4\n";
    EXPECT_EQ(findFigure(kOutput, "score: ([0-9.e]+)"), 1000);
    EXPECT_EQ(findFigure(kOutput, "score: (x)"), std::nullopt);  // no number
    EXPECT_EQ(findFigure(kOutput, "score: (1e.*)"), 1000);
    EXPECT_EQ(findFigure(kOutput, "score: (.*)$"), 12.5);  // what a number begins with
    EXPECT_EQ(findFigure(kOutput, "[0-9]+$"), 4);          // without a group: all of it
    EXPECT_EQ(findFigure(kOutput, "none ([0-9]+)"), std::nullopt);
    EXPECT_EQ(findFigure("", "([0-9]+)"), std::nullopt);
    EXPECT_EQ(findFigure("a -3", "a (-?[0-9]+)"), -3);
    EXPECT_EQ(findFigure("x" + std::string(10'000'000, 'y') + "\n8", "(8)"), 8);
    EXPECT_THROW(findFigure("a", "("), std::regex_error);
}

}  // namespace
}  // namespace coopvk::tool
