// SPDX-License-Identifier: Apache-2.0
//
// coopvk.conf together with the other sources of settings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "settings/configuration.hpp"
#include "settings/settings.hpp"
#include "settings/unknown_settings.hpp"

namespace coopvk::layer::configuration_files_test {
namespace {

namespace fs = std::filesystem;

// Through files, where the environment says.
class ConfigurationFiles : public testing::Test {
 protected:
    ConfigurationFiles()
        : folder(fs::temp_directory_path() / ("coopvk-configuration-" + std::to_string(getpid()))) {
        fs::create_directories(folder / "coopvk");
        const char* before = std::getenv(COOPVK_CONFIG_VARIABLE);
        if (before != nullptr) configHome = before;
        setenv(COOPVK_CONFIG_VARIABLE, folder.c_str(), 1);
        for (const SettingInfo& setting : kSettings) unsetenv(setting.variable);
    }
    ~ConfigurationFiles() override {
        fs::remove_all(folder);
        for (const SettingInfo& setting : kSettings) unsetenv(setting.variable);
        unsetenv("VK_COOPVK_EMULATION_LOG_LEVEL");
        unsetenv("VK_LAYER_SETTINGS_PATH");
        unsetenv(COOPVK_CONFIG_VARIABLE);
        if (configHome) setenv(COOPVK_CONFIG_VARIABLE, configHome->c_str(), 1);
    }

    void write(const std::string& text) { std::ofstream(file()) << text; }
    fs::path file() const { return folder / "coopvk" / "coopvk.conf"; }
    Settings load(const VkInstanceCreateInfo* info = nullptr) {
        complaints.clear();
        return loadSettings(info, complaints);
    }

    fs::path folder;
    std::optional<std::string> configHome;
    std::vector<std::string> complaints;
};

// The environment, then the user's file, then vk_layer_settings.txt, then the application.
TEST_F(ConfigurationFiles, Precedence) {
    write("log_level = info\n[exe = " COOPVK_LAYER_TESTS "]\ndump_dir = /from/conf\n");
    std::ofstream(folder / "vk_layer_settings.txt")
        << "coopvk_emulation.dump_dir = /from/settings\ncoopvk_emulation.emulate = all\n";
    setenv("VK_LAYER_SETTINGS_PATH", folder.c_str(), 1);
    const char* level = "error";
    const char* log = "/from/app";
    const VkLayerSettingEXT list[] = {
        {kLayerName, "log_level", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &level},
        {kLayerName, "log_file", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &log}};
    const VkLayerSettingsCreateInfoEXT app = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                              nullptr, 2, list};
    const VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &app};
    const Settings settings = load(&info);
    EXPECT_EQ(settings.logLevel, LogLevel::kInfo);
    EXPECT_EQ(settings.dumpDir, "/from/conf");
    EXPECT_EQ(settings.emulate.mode, EmulatePolicy::Mode::kAll);
    EXPECT_EQ(settings.logFile, "/from/app");
    setenv("VK_COOPVK_EMULATION_LOG_LEVEL", "error", 1);
    EXPECT_EQ(load(&info).logLevel, LogLevel::kError);
    setenv("COOPVK_LOG_LEVEL", "debug", 1);
    setenv("COOPVK_DUMP_DIR", "", 1);
    EXPECT_EQ(load(&info).logLevel, LogLevel::kDebug);
    EXPECT_EQ(load(&info).dumpDir, "");
    EXPECT_TRUE(complaints.empty());
}

TEST_F(ConfigurationFiles, BadValuesLeaveWhatHolds) {
    write("log_level = info\nlog_level = loud\n[exe = " COOPVK_LAYER_TESTS "]\nemulat = all\n");
    EXPECT_EQ(load().logLevel, LogLevel::kInfo);
    ASSERT_EQ(complaints.size(), 2u);
    EXPECT_TRUE(complaints[0].starts_with(file().string() + ":2: ")) << complaints[0];
    EXPECT_TRUE(complaints[1].starts_with(file().string() + ":4: ")) << complaints[1];
}

// Neither is a fault.
TEST_F(ConfigurationFiles, ThatDoNotExist) {
    for (const std::string& path : {std::string(), file().string()}) {
        const ConfigurationFile none = readConfiguration(path);
        EXPECT_FALSE(none.exists);
        EXPECT_TRUE(none.faults().empty());
        EXPECT_TRUE(SettingsFile{path}.isReadable());
    }
    write("log_level = info\n");
    EXPECT_TRUE(readConfiguration(file().string()).exists);
    EXPECT_TRUE(SettingsFile{file().string()}.isReadable());
    EXPECT_FALSE(SettingsFile{folder.string()}.isReadable());
}

// Whatever kind of file is there, no program waits or fails.
TEST_F(ConfigurationFiles, NoFiles) {
    load();
    EXPECT_TRUE(complaints.empty());
    fs::create_directory(file());
    load();
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("is no file"), std::string::npos);
    fs::remove(file());
    write(std::string((size_t{1} << 20) + 1, '#'));
    load();
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("larger than"), std::string::npos);
    write(std::string(size_t{1} << 20, '#'));
    load();
    EXPECT_TRUE(complaints.empty());
}

}  // namespace
}  // namespace coopvk::layer::configuration_files_test
