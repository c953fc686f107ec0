// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace coopvk::layer::settings_test {
namespace {

using Mode = EmulatePolicy::Mode;

// Starts without any of the variables that settings come from.
class SettingsTest : public testing::Test {
 protected:
    SettingsTest() { clear(); }
    ~SettingsTest() override {
        clear();
        if (!folder.empty()) std::filesystem::remove_all(folder);
    }

    static void clear() {
        for (const char* name : {"EMULATE", "BACK_END", "LOG_LEVEL", "LOG_FILE", "DUMP_DIR",
                                 "DUMP_INPUTS", "VALIDATE_OUTPUT", "STATISTICS"}) {
            unsetenv((std::string("COOPVK_") + name).c_str());
            unsetenv((std::string("VK_COOPVK_EMULATION_") + name).c_str());
        }
        unsetenv("VK_LAYER_SETTINGS_PATH");
    }
    Settings load(const VkInstanceCreateInfo* info = nullptr) {
        complaints.clear();
        return loadSettings(info, complaints);
    }
    void useFile(const std::string& text) {
        folder = std::filesystem::temp_directory_path() /
                 ("coopvk-layer-tests-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "vk_layer_settings.txt") << text;
        setenv("VK_LAYER_SETTINGS_PATH", folder.c_str(), 1);
    }

    std::vector<std::string> complaints;
    std::filesystem::path folder;
};

// Settings that an application passes with its instance.
class AppSettings {
 public:
    void add(const char* name, VkLayerSettingTypeEXT type, uint32_t count, const void* values) {
        list_.push_back({kLayerName, name, type, count, values});
    }
    void add(const char* name, const char* const& value) {
        add(name, VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &value);
    }
    const VkInstanceCreateInfo* info() {
        settings_.settingCount = static_cast<uint32_t>(list_.size());
        settings_.pSettings = list_.data();
        info_.pNext = &settings_;
        return &info_;
    }

 private:
    std::vector<VkLayerSettingEXT> list_;
    VkLayerSettingsCreateInfoEXT settings_ = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    VkInstanceCreateInfo info_ = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
};

TEST_F(SettingsTest, Defaults) {
    const Settings settings = load();
    EXPECT_EQ(settings.emulate.mode, Mode::kAuto);
    EXPECT_EQ(settings.logLevel, LogLevel::kWarn);
    EXPECT_EQ(settings.logFile, "");
    EXPECT_EQ(settings.dumpDir, "");
    EXPECT_FALSE(settings.validateOutput);
    EXPECT_TRUE(complaints.empty());
}

TEST_F(SettingsTest, Environment) {
    setenv("COOPVK_EMULATE", "all", 1);
    setenv("COOPVK_LOG_LEVEL", "debug", 1);
    setenv("COOPVK_LOG_FILE", "/a/log", 1);
    setenv("COOPVK_DUMP_DIR", "/a/folder", 1);
    setenv("COOPVK_VALIDATE_OUTPUT", "1", 1);
    const Settings settings = load();
    EXPECT_EQ(settings.emulate.mode, Mode::kAll);
    EXPECT_EQ(settings.emulateText, "all");
    EXPECT_EQ(settings.logLevel, LogLevel::kDebug);
    EXPECT_EQ(settings.logFile, "/a/log");
    EXPECT_EQ(settings.dumpDir, "/a/folder");
    EXPECT_TRUE(settings.validateOutput);
    EXPECT_TRUE(complaints.empty());
}

TEST_F(SettingsTest, DerivedEnvironment) {
    setenv("VK_COOPVK_EMULATION_EMULATE", "all", 1);
    setenv("VK_COOPVK_EMULATION_VALIDATE_OUTPUT", "true", 1);
    const Settings settings = load();
    EXPECT_EQ(settings.emulate.mode, Mode::kAll);
    EXPECT_TRUE(settings.validateOutput);
}

TEST_F(SettingsTest, Booleans) {
    for (const char* text : {"1", "true"}) {
        setenv("COOPVK_VALIDATE_OUTPUT", text, 1);
        EXPECT_TRUE(load().validateOutput) << text;
    }
    for (const char* text : {"0", "false", ""}) {
        setenv("COOPVK_VALIDATE_OUTPUT", text, 1);
        EXPECT_FALSE(load().validateOutput) << text;
        EXPECT_TRUE(complaints.empty()) << text;
    }
    setenv("COOPVK_VALIDATE_OUTPUT", "perhaps", 1);
    EXPECT_FALSE(load().validateOutput);
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("validate_output"), std::string::npos);
}

TEST_F(SettingsTest, UnknownValues) {
    setenv("COOPVK_LOG_LEVEL", "loud", 1);
    setenv("COOPVK_EMULATE", "VK_KHR_cooperative_matrix,VK_XYZ_nothing", 1);
    const Settings settings = load();
    EXPECT_EQ(settings.logLevel, LogLevel::kWarn);
    EXPECT_TRUE(settings.emulate.list.contains(rewrite::Extension::kKhrCooperativeMatrix));
    ASSERT_EQ(complaints.size(), 2u);
    EXPECT_NE(complaints[0].find("VK_XYZ_nothing"), std::string::npos);
    EXPECT_NE(complaints[1].find("loud"), std::string::npos);
}

TEST_F(SettingsTest, FromTheApplication) {
    AppSettings app;
    const char* names[] = {"VK_KHR_cooperative_matrix", " VK_XYZ_nothing"};
    app.add("emulate", VK_LAYER_SETTING_TYPE_STRING_EXT, 2, names);
    const char* level = "error";
    app.add("log_level", level);
    const VkBool32 yes = VK_TRUE;
    app.add("validate_output", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &yes);
    const Settings settings = load(app.info());
    EXPECT_EQ(settings.emulate.mode, Mode::kList);
    EXPECT_TRUE(settings.emulate.list.contains(rewrite::Extension::kKhrCooperativeMatrix));
    EXPECT_EQ(settings.logLevel, LogLevel::kError);
    EXPECT_TRUE(settings.validateOutput);
    EXPECT_EQ(complaints.size(), 1u);
}

TEST_F(SettingsTest, FromAFile) {
    useFile(
        "coopvk_emulation.emulate = all\n"
        "coopvk_emulation.log_level = info\n"
        "coopvk_emulation.validate_output = true\n"
        "coopvk_emulation.dump_dir = /from/file\n");
    const Settings settings = load();
    EXPECT_EQ(settings.emulate.mode, Mode::kAll);
    EXPECT_EQ(settings.logLevel, LogLevel::kInfo);
    EXPECT_TRUE(settings.validateOutput);
    EXPECT_EQ(settings.dumpDir, "/from/file");
}

// Whoever made the current folder must not choose where the layer writes.
TEST_F(SettingsTest, CurrentFolderNamesNoFilesToWrite) {
    useFile(
        "coopvk_emulation.log_level = info\n"
        "coopvk_emulation.log_file = /from/file\n"
        "coopvk_emulation.dump_dir = /from/file\n"
        "coopvk_emulation.dump_inputs = 64M\n"
        "coopvk_emulation.statistics = /from/file\n");
    const char* const none = "XDG_DATA_HOME";
    const char* const data = std::getenv(none);
    const std::string before = data == nullptr ? "" : data;
    setenv(none, (folder / "none").c_str(), 1);
    unsetenv("VK_LAYER_SETTINGS_PATH");
    const auto start = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    Settings settings = load();
    EXPECT_EQ(settings.logLevel, LogLevel::kInfo);
    EXPECT_EQ(settings.logFile, "");
    EXPECT_EQ(settings.dumpDir, "");
    EXPECT_EQ(settings.dumpInputs.bytes, 0u);
    EXPECT_EQ(settings.statistics, "");
    ASSERT_EQ(complaints.size(), 4u);
    EXPECT_TRUE(complaints[0].starts_with("setting log_file: has no effect in the vk_layer_"))
        << complaints[0];

    // The same where a relative path makes it the user's data folder.
    std::filesystem::create_directories("vulkan/settings.d");
    std::filesystem::copy("vk_layer_settings.txt", "vulkan/settings.d");
    setenv(none, ".", 1);
    EXPECT_EQ(load().logFile, "");
    EXPECT_EQ(complaints.size(), 4u);
    setenv(none, folder.c_str(), 1);
    EXPECT_EQ(load().logFile, "/from/file");
    setenv(none, (folder / "none").c_str(), 1);

    // What else names them does so.
    AppSettings app;
    const char* ofApp = "/from/app";
    app.add("log_file", ofApp);
    setenv("COOPVK_DUMP_DIR", "/a/folder", 1);
    setenv("VK_COOPVK_EMULATION_STATISTICS", "/a/file", 1);
    settings = load(app.info());
    EXPECT_EQ(settings.logFile, "/from/app");
    EXPECT_EQ(settings.dumpDir, "/a/folder");
    EXPECT_EQ(settings.statistics, "/a/file");
    clear();
    setenv("VK_LAYER_SETTINGS_PATH", ".", 1);  // named
    EXPECT_EQ(load().logFile, "/from/file");
    EXPECT_TRUE(complaints.empty());
    std::filesystem::current_path(start);
    before.empty() ? unsetenv(none) : setenv(none, before.c_str(), 1);
}

// Values and names come in messages as one line without commands for terminals.
TEST_F(SettingsTest, ComplaintsQuoteWhatTheyRepeat) {
    useFile("coopvk_emulation.lo\x1b[2Jg = 1\ncoopvk_emulation.log_level = \x1b]0;x\x07loud\n");
    setenv("COOPVK_EMULATE", "a\ncoopvk: error: all is lost\x9b", 1);
    load();
    EXPECT_EQ(complaints,
              (std::vector<std::string>{
                  "setting emulate: unknown extension 'a\\x0acoopvk: error: all is lost\\x9b'",
                  "setting log_level: unknown level '\\x1b]0;x\\x07loud'",
                  "setting coopvk_emulation.lo\\x1b[2Jg: there is no such setting"}));
}

// The short variables win over the file, and the file over the application.
TEST_F(SettingsTest, Precedence) {
    AppSettings app;
    const char* level = "error";
    const char* folder_ = "/from/app";
    const char* file = "/log/of/app";
    app.add("log_level", level);
    app.add("dump_dir", folder_);
    app.add("log_file", file);
    useFile("coopvk_emulation.log_level = info\ncoopvk_emulation.dump_dir = /from/file\n");
    setenv("COOPVK_LOG_LEVEL", "debug", 1);
    const Settings settings = load(app.info());
    EXPECT_EQ(settings.logLevel, LogLevel::kDebug);
    EXPECT_EQ(settings.dumpDir, "/from/file");
    EXPECT_EQ(settings.logFile, "/log/of/app");
}

// From any source.
TEST_F(SettingsTest, MisspeltNames) {
    setenv("COOPVK_EMULAT", "all", 1);
    setenv("COOPVK_LOGLEVEL", "info", 1);
    setenv("VK_COOPVK_EMULATION_NONSENSE", "1", 1);
    setenv("COOPVK_SOURCE", "is somebody else's", 1);
    setenv("COOPVK_ENABLE", "1", 1);
    useFile(
        "# coopvk_emulation.comment = 1\n"
        "other_layer.log_level = info\n"
        " coopvk_emulation.dumpdir = /x # a comment\n"
        "coopvk_emulation.log_level = info\n");
    AppSettings app;
    const char* text = "x";
    app.add("backend", text);
    const Settings settings = load(app.info());
    for (const char* name : {"COOPVK_EMULAT", "COOPVK_LOGLEVEL", "VK_COOPVK_EMULATION_NONSENSE",
                             "COOPVK_SOURCE", "COOPVK_ENABLE"}) {
        unsetenv(name);
    }
    EXPECT_EQ(settings.logLevel, LogLevel::kInfo);
    EXPECT_EQ(complaints,
              (std::vector<std::string>{
                  "setting COOPVK_EMULAT: there is no such setting; did you mean 'emulate'?",
                  "setting COOPVK_LOGLEVEL: there is no such setting; did you mean 'log_level'?",
                  "setting VK_COOPVK_EMULATION_NONSENSE: there is no such setting",
                  "setting coopvk_emulation.dumpdir: there is no such setting; did you mean "
                  "'dump_dir'?",
                  "setting backend: there is no such setting; did you mean 'back_end'?"}));
}

TEST_F(SettingsTest, PathsNameTheProgram) {
    const std::string process = std::to_string(getpid());
    setenv("COOPVK_LOG_FILE", "/a/%n.%p", 1);
    setenv("COOPVK_DUMP_DIR", "/a/%p", 1);
    setenv("COOPVK_STATISTICS", "/a/%n", 1);
    const Settings settings = load();
    EXPECT_EQ(settings.logFile, "/a/" COOPVK_LAYER_TESTS "." + process);
    EXPECT_EQ(settings.dumpDir, "/a/" + process);
    EXPECT_EQ(settings.statistics, "/a/" COOPVK_LAYER_TESTS);
    EXPECT_TRUE(complaints.empty());
}

// Settings of another layer are ignored.
TEST_F(SettingsTest, OfAnotherLayer) {
    const char* level = "debug";
    const VkLayerSettingEXT setting = {"VK_LAYER_OTHER_thing", "log_level",
                                       VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &level};
    const VkLayerSettingsCreateInfoEXT settings = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                                   nullptr, 1, &setting};
    const VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &settings};
    EXPECT_EQ(load(&info).logLevel, LogLevel::kWarn);
    const VkLayerSettingEXT unknown = {"VK_LAYER_OTHER_thing", "theirs",
                                       VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &level};
    const VkLayerSettingsCreateInfoEXT more = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                               nullptr, 1, &unknown};
    const VkInstanceCreateInfo moreInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &more};
    load(&moreInfo);
    EXPECT_TRUE(complaints.empty()) << complaints.front();
}

}  // namespace
}  // namespace coopvk::layer::settings_test
