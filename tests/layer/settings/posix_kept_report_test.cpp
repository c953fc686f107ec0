// SPDX-License-Identifier: Apache-2.0
#include "settings/kept_report.hpp"
#include "settings/settings_fixture.hpp"
#include "system/program.hpp"

namespace coopvk::layer::kept_report_test {
namespace {

namespace fs = std::filesystem;

class KeptReport : public SettingsTest {
 protected:
    KeptReport() {
        work = fs::temp_directory_path() / ("coopvk-reports-" + std::to_string(getpid()));
        fs::create_directories(work);
        setenv("XDG_CACHE_HOME", work.c_str(), 1);
    }
    ~KeptReport() override {
        unsetenv("COOPVK_REPORT");
        unsetenv("XDG_CACHE_HOME");
        fs::remove_all(work);
    }
    void expectKeptIn(const Settings& settings, const fs::path& at) {
        EXPECT_EQ(settings.logFile, (at / "log").string());
        EXPECT_EQ(settings.dumpDir, (at / "shaders").string());
        EXPECT_EQ(settings.statistics, (at / "statistics").string());
        EXPECT_EQ(settings.logLevel, LogLevel::kDebug);
        EXPECT_TRUE(settings.validateOutput);
        EXPECT_FALSE(settings.remember);
        EXPECT_TRUE(complaints.empty());
        EXPECT_TRUE(fs::is_directory(at));
    }

    fs::path work;
};

TEST_F(KeptReport, NoneByDefault) {
    for (const char* text : {"", "0", "false"}) {
        setenv("COOPVK_REPORT", text, 1);
        EXPECT_EQ(load().logFile, "") << text;
    }
    EXPECT_TRUE(fs::is_empty(work));
}

TEST_F(KeptReport, EachProcessHasAFolder) {
    setenv("COOPVK_REPORT", "1", 1);
    const fs::path own = work / "coopvk" / "reports" / expandPath("%n-%p");
    expectKeptIn(load(), own);
    expectKeptIn(load(), own);  // of another instance
    EXPECT_EQ(fs::perms::none, fs::status(own).permissions() & fs::perms::others_all);
}

TEST_F(KeptReport, ANamedFolder) {
    setenv("COOPVK_REPORT", (work / "here").c_str(), 1);
    setenv("COOPVK_LOG_FILE", "/elsewhere/log", 1);
    setenv("COOPVK_LOG_LEVEL", "error", 1);
    expectKeptIn(load(), work / "here");
}

TEST_F(KeptReport, WhereNoFolderCanBe) {
    std::ofstream(work / "file") << "a file";
    setenv("COOPVK_REPORT", (work / "file").c_str(), 1);
    EXPECT_EQ(load().logFile, "");
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("setting report: cannot write to"), std::string::npos);

    setenv("COOPVK_REPORT", "1", 1);
    setenv("XDG_CACHE_HOME", (work / "file").c_str(), 1);
    EXPECT_EQ(load().logFile, "");
    EXPECT_EQ(complaints.size(), 1u);
}

TEST_F(KeptReport, NotMoreThanSoMany) {
    setenv("COOPVK_REPORT", "1", 1);
    for (size_t i = 0; i + 1 < kMostReports; ++i)
        fs::create_directories(reportsFolder() / ("game-" + std::to_string(i)));
    EXPECT_NE(load().logFile, "");  // the last one
    EXPECT_NE(load().logFile, "");  // again
    fs::rename(reportsFolder() / expandPath("%n-%p"), reportsFolder() / "another");
    EXPECT_EQ(load().logFile, "");
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("coopvk report --kept"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::layer::kept_report_test
