// SPDX-License-Identifier: Apache-2.0
//
// Whoever made the current folder must not choose where the layer writes.
#include "settings/current_folder.hpp"

namespace coopvk::layer::current_folder_test {
namespace {

TEST_F(CurrentFolder, NamesNoFilesToWrite) {
    const Settings settings = load();
    EXPECT_EQ(settings.logLevel, LogLevel::kInfo);
    EXPECT_EQ(settings.logFile, "");
    EXPECT_EQ(settings.dumpDir, "");
    EXPECT_EQ(settings.dumpInputs.bytes, 0u);
    EXPECT_EQ(settings.statistics, "");
    ASSERT_EQ(complaints.size(), 4u);
    EXPECT_TRUE(complaints[0].starts_with("setting log_file: has no effect in the vk_layer_"))
        << complaints[0];
}

// It may be no file at all.
TEST_F(CurrentFolder, HasAFolderWithTheName) {
    std::filesystem::remove("vk_layer_settings.txt");
    std::filesystem::create_directory("vk_layer_settings.txt");
    EXPECT_EQ(load().logFile, "");
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_EQ(complaints[0],
              "vk_layer_settings.txt: is no file of at most 1 MiB, so no setting of it counts");
}

// What else names files does so.
TEST_F(CurrentFolder, BesideOtherSources) {
    AppSettings app;
    const char* ofApp = "/from/app";
    app.add("log_file", ofApp);
    setenv("COOPVK_DUMP_DIR", "/a/folder", 1);
    setenv("VK_COOPVK_EMULATION_STATISTICS", "/a/file", 1);
    const Settings settings = load(app.info());
    EXPECT_EQ(settings.logFile, "/from/app");
    EXPECT_EQ(settings.dumpDir, "/a/folder");
    EXPECT_EQ(settings.statistics, "/a/file");
    clear();
    setenv("VK_LAYER_SETTINGS_PATH", ".", 1);  // named
    EXPECT_EQ(load().logFile, "/from/file");
    EXPECT_TRUE(complaints.empty());
}

}  // namespace
}  // namespace coopvk::layer::current_folder_test
