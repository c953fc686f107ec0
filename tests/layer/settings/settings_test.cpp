// SPDX-License-Identifier: Apache-2.0
#include "settings/settings_fixture.hpp"

namespace coopvk::layer::settings_test {
namespace {

using Mode = EmulatePolicy::Mode;

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
    // Beside ours, also in front of it.
    const char* less = "error";
    const VkLayerSettingEXT both[] = {
        {nullptr, "log_level", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &less},
        {"VK_LAYER_OTHER_thing", "log_level", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &less},
        {"VK_LAYER_COOPVK_emulation", "log_level", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &level}};
    const VkLayerSettingsCreateInfoEXT two = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                              nullptr, 3, both};
    const VkInstanceCreateInfo twoInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &two};
    EXPECT_EQ(load(&twoInfo).logLevel, LogLevel::kDebug);
    const VkLayerSettingEXT unknown = {"VK_LAYER_OTHER_thing", "theirs",
                                       VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &level};
    const VkLayerSettingsCreateInfoEXT more = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                               nullptr, 1, &unknown};
    const VkInstanceCreateInfo moreInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &more};
    load(&moreInfo);
    EXPECT_TRUE(complaints.empty()) << complaints.front();
}

// As Windows' editors write it.
TEST_F(SettingsTest, FilesWithByteOrderMarksAndCarriageReturns) {
    useFile(
        "\xef\xbb\xbf"
        "coopvk_emulation.log_level = debug\r\ncoopvk_emulation.validate_output = true\r\n"
        "coopvk_emulation.emulate = all\r\n");
    const Settings settings = load();
    EXPECT_EQ(settings.logLevel, LogLevel::kDebug);
    EXPECT_TRUE(settings.validateOutput);
    EXPECT_EQ(settings.emulateText, "all");
    EXPECT_TRUE(complaints.empty()) << complaints.front();
    useFile(
        "\xef\xbb\xbf"
        "coopvk_emulation.log_leval = debug\r\n");
    load();
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("log_leval"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::layer::settings_test
