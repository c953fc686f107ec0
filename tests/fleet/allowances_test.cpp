// SPDX-License-Identifier: Apache-2.0
//
// If a shader becomes worse, the check must fail, with a line that names the statistic. This tests
// the check itself, with invented figures.
#include "allowances.hpp"

#include <gtest/gtest.h>

#include "comparison.hpp"

namespace coopvk::fleet {
namespace {

constexpr const char* kDocument =
    "# Title\n"
    "\n"
    "<!-- fleet: written by scripts/fleet --write: Mesa 1.2.3 -->\n"
    "\n"
    "| shader | navi21 32 | m1 32 |\n"
    "|---|---|---|\n"
    "| bench/a | 0, 96 % | 20 |\n"
    "| bench/b |  | 3, 50 % |\n"
    "\n"
    "<!-- fleet: end -->\n"
    "Behind it.\n";

Measurement measured(const char* device, const char* subject, double spills, uint64_t useful) {
    Measurement m;
    m.device = device;
    m.subject = subject;
    m.size = 32;
    m.statistics[static_cast<size_t>(Statistic::kSpills)] = spills;
    m.hot = HotCode{true, {100, useful, useful, 0}};
    return m;
}

TEST(FleetAllowances, TakeWhatIsWritten) {
    const Allowances allowances(kDocument);
    EXPECT_EQ(allowances.driver(), "Mesa 1.2.3");
    EXPECT_TRUE(allowances.check(measured("navi21", "bench/a", 0, 96)).empty());
    EXPECT_TRUE(allowances.check(measured("navi21", "bench/a", 0, 93)).empty());
    EXPECT_TRUE(allowances.check(measured("m1", "bench/a", 22, 1)).empty());  // 20 and a tenth
}

TEST(FleetAllowances, NameWhatIsWorse) {
    const Allowances allowances(kDocument);
    const auto spills = allowances.check(measured("navi21", "bench/a", 1, 96));
    ASSERT_EQ(spills.size(), 1u);
    EXPECT_EQ(spills.front(), "spilled registers: 1, allowed are 0");
    const auto useful = allowances.check(measured("navi21", "bench/a", 0, 92));
    ASSERT_EQ(useful.size(), 1u);
    EXPECT_EQ(useful.front(),
              "useful vector instructions of the hottest loop: 92.0 %, at least 93 % are wanted");
    EXPECT_EQ(allowances.check(measured("m1", "bench/a", 23, 1)).size(), 1u);
    EXPECT_EQ(allowances.check(measured("m1", "bench/b", 4, 10)).size(), 2u);
}

// 20 may be the smallest value of a spread of a half; shaders without spills always have none.
TEST(FleetAllowances, TakeWhatDiffersFromRunToRun) {
    const Allowances allowances(kDocument);
    EXPECT_TRUE(allowances.check(measured("m1", "bench/a", 33, 1), 0.5).empty());
    const auto spills = allowances.check(measured("m1", "bench/a", 34, 1), 0.5);
    ASSERT_EQ(spills.size(), 1u);
    EXPECT_EQ(spills.front(), "spilled registers: 34, allowed are 33");
    EXPECT_EQ(allowances.check(measured("navi21", "bench/a", 1, 96), 0.5).size(), 1u);
}

TEST(FleetAllowances, ScalarSpillsCountToo) {
    Measurement m = measured("navi21", "bench/a", 0, 96);
    m.statistics[static_cast<size_t>(Statistic::kScalarSpills)] = 5;
    EXPECT_EQ(Allowances(kDocument).check(m).size(), 1u);
}

TEST(FleetAllowances, WantAFigureForEachShader) {
    const Allowances allowances(kDocument);
    EXPECT_EQ(allowances.check(measured("navi21", "bench/b", 0, 96)).size(), 1u);
    EXPECT_EQ(allowances.check(measured("navi21", "bench/c", 0, 96)).size(), 1u);
    Measurement wide = measured("navi21", "bench/a", 0, 96);
    wide.size = 64;
    EXPECT_EQ(allowances.check(wide).size(), 1u);
}

TEST(FleetAllowances, WriteWhatTheyRead) {
    std::vector<Measurement> list = {measured("navi21", "bench/a", 3, 70),
                                     measured("m1", "bench/b", 0, 88)};
    list.back().hot.reset();
    const std::string document = Allowances::write(kDocument, "Mesa 2.0", list);
    EXPECT_TRUE(document.starts_with("# Title\n\n<!-- fleet: "));
    EXPECT_TRUE(document.ends_with("<!-- fleet: end -->\nBehind it.\n"));
    const Allowances allowances(document);
    EXPECT_EQ(allowances.driver(), "Mesa 2.0");
    for (const Measurement& m : list) EXPECT_TRUE(allowances.check(m).empty());
    list.front().statistics[0] = 4;
    EXPECT_EQ(allowances.check(list.front()).size(), 1u);
}

TEST(FleetAllowances, RefuseADocumentWithoutFigures) {
    EXPECT_THROW(Allowances("# Title\n"), std::runtime_error);
    std::string document = kDocument;
    document.replace(document.find("96 %"), 2, "xx");
    EXPECT_THROW(Allowances{document}, std::runtime_error);
}

TEST(FleetComparison, ShowsWhatChanged) {
    const std::vector<Measurement> before = {measured("navi21", "bench/a", 8, 70),
                                             measured("m1", "bench/gone", 0, 1)};
    const std::vector<Measurement> after = {measured("navi21", "bench/a", 0, 70),
                                            measured("m1", "bench/new", 0, 1)};
    const std::string table = compare(before, after);
    EXPECT_NE(table.find("| navi21 | bench/a | 32 | 8 > 0 |"), table.npos) << table;
    EXPECT_NE(table.find(" 70 | 0.70 |\n"), table.npos) << table;
    EXPECT_EQ(table.find("gone"), table.npos);
    EXPECT_EQ(table.find("new"), table.npos);
}

TEST(FleetProblems, FailWhateverIsAllowed) {
    Measurement m = measured("navi21", "bench/a", 0, 96);
    EXPECT_TRUE(problemsOf(m).empty());
    m.seconds = kMaxSeconds + 1;
    ASSERT_EQ(problemsOf(m).size(), 1u);
    EXPECT_EQ(problemsOf(m).front(), "processor time: 11.0 s, allowed are 10");
    m.isPlain = true;  // the driver's own affair
    EXPECT_TRUE(problemsOf(m).empty());
    m.isPlain = false;
    m.problem = "crash: Segmentation fault";
    EXPECT_EQ(problemsOf(m).size(), 2u);
    m.isMissing = true;
    EXPECT_TRUE(problemsOf(m).empty());
}

TEST(FleetProblems, CrashesAreExcusedOnlyWhereAFeatureIsMissing) {
    const Measurement begun = measured("navi21", "bench/a", 0, 96);
    ASSERT_EQ(problemsOf(crashed(begun, "Segmentation fault")).size(), 1u);
    EXPECT_EQ(problemsOf(crashed(begun, "Segmentation fault")).front(),
              "crash: Segmentation fault");
    Measurement without = begun;
    without.problem = "shaderFloat64";
    EXPECT_TRUE(problemsOf(crashed(without, "Segmentation fault")).empty());
    EXPECT_TRUE(crashed(without, "Segmentation fault").problem.starts_with("shaderFloat64, "));
}

}  // namespace
}  // namespace coopvk::fleet
