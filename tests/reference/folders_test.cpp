// SPDX-License-Identifier: Apache-2.0
#include "folders.hpp"

#include <gtest/gtest.h>

namespace coopvk::reference::test::folders_test {
namespace {

class Folders : public testing::TestWithParam<std::string> {};

TEST_P(Folders, GiveWhatTheyMust) {
    FolderTest test = readFolder(GetParam());
    size_t number = 0;
    for (FolderRun& run : test.runs) {
        Execution& done = run.execution;
        SCOPED_TRACE("run " + std::to_string(++number) + ", lanes: " + std::to_string(done.lanes));
        execute(done, test.words);
        EXPECT_EQ(done.error, "");
        std::set<std::string> reports;
        for (const Report& report : done.reports) {
            reports.insert(checkName(report.check));
            EXPECT_TRUE(run.reports.contains(checkName(report.check))) << describe(report);
        }
        EXPECT_EQ(reports, run.reports);
        for (const auto& [binding, words] : run.expected)
            EXPECT_EQ(done.buffers[binding], words) << "binding " << binding;
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, Folders, testing::ValuesIn(testFolders()),
                         [](const auto& folder) { return folder.param; });

TEST(TestFolders, AreThere) { EXPECT_GE(testFolders().size(), 12u); }

}  // namespace
}  // namespace coopvk::reference::test::folders_test
