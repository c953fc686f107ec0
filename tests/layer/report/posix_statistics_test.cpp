// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fakes/fake_driver.hpp"
#include "report/statistics.hpp"
#include "settings/settings.hpp"

namespace coopvk::test::posix_statistics_test {
namespace {

// A forked process reports nothing about its parent's instances.
TEST(StatisticsOfProcesses, NotByAChild) {
    const auto file =
        std::filesystem::temp_directory_path() / ("coopvk-child-test-" + std::to_string(getpid()));
    const auto text = [&] {
        std::ostringstream out;
        out << std::ifstream(file).rdbuf();
        return out.str();
    };
    layer::Settings settings;
    settings.statistics = file;
    const auto own = layer::Statistics::make(settings);
    const pid_t child = fork();
    if (child == 0) {
        own->writeSummary();
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_EQ(text(), "");
    own->writeSummary();
    EXPECT_NE(text().find("no device was created"), std::string::npos) << text();
    std::filesystem::remove(file);
}

// A process that ends without vkDestroyInstance reports its own instances, and no parent's.
TEST(StatisticsOfProcesses, AtTheEnd) {
    const auto file =
        std::filesystem::temp_directory_path() / ("coopvk-end-test-" + std::to_string(getpid()));
    const auto endsWith = [&](bool hasInstance) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            FakeDriver own;
            if (hasInstance) own.makeInstance();
            std::exit(0);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        std::ostringstream out;
        out << std::ifstream(file).rdbuf();
        return out.str();
    };
    setenv("COOPVK_STATISTICS", file.c_str(), 1);
    FakeDriver driver;
    driver.makeInstance();
    EXPECT_EQ(endsWith(false), "");
    EXPECT_NE(endsWith(true).find("no device was created"), std::string::npos);
    driver.destroyInstance();
    unsetenv("COOPVK_STATISTICS");
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace coopvk::test::posix_statistics_test
