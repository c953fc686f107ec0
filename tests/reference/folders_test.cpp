// SPDX-License-Identifier: Apache-2.0
#include "folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "coopvk_reference/memory_counts.hpp"

namespace coopvk::reference::test::folders_test {
namespace {

void expectReports(const FolderRun& run) {
    std::set<std::string> found;
    for (const Report& report : run.execution.reports) {
        const std::string text = describe(report);
        const auto isMeant = [&](const std::string& part) { return text.starts_with(part); };
        const auto meant = std::ranges::find_if(run.reports, isMeant);
        EXPECT_NE(meant, run.reports.end()) << text;
        if (meant != run.reports.end()) found.insert(*meant);
    }
    EXPECT_EQ(found, run.reports);
}

void expectCounts(const FolderRun& run, const MemoryCounts& all) {
    std::map<std::string, std::array<uint64_t, 2>> sums;
    for (const auto& [at, count] : all.counts()) {
        auto& [transactions, fewest] =
            sums[count.kind == MemoryKind::kShared ? "shared" : "buffers"];
        transactions += count.transactions;
        fewest += count.fewest;
    }
    for (const auto& [kind, expected] : run.counts) EXPECT_EQ(sums[kind], expected) << kind;
}

class Folders : public testing::TestWithParam<std::string> {};

TEST_P(Folders, GiveWhatTheyMust) {
    FolderTest test = readFolder(GetParam());
    size_t number = 0;
    for (FolderRun& run : test.runs) {
        Execution& done = run.execution;
        SCOPED_TRACE("run " + std::to_string(++number) + ", lanes: " + std::to_string(done.lanes));
        MemoryCounts counts;
        if (!run.counts.empty()) done.observers = {&counts};
        execute(done, test.words);
        EXPECT_EQ(done.error, "");
        expectReports(run);
        expectCounts(run, counts);
        for (const auto& [binding, words] : run.expected)
            EXPECT_EQ(done.buffers[binding], words) << "binding " << binding;
        for (const auto& [name, values] : run.expectedLists)
            EXPECT_EQ(done.lists[name], values) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, Folders, testing::ValuesIn(testFolders()),
                         [](const auto& folder) { return folder.param; });

TEST(TestFolders, AreThere) { EXPECT_GE(testFolders().size(), 24u); }

}  // namespace
}  // namespace coopvk::reference::test::folders_test
