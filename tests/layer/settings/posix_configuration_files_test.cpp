// SPDX-License-Identifier: Apache-2.0
//
// Where coopvk.conf lies, and what may lie there in its place.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "settings/configuration.hpp"
#include "settings/settings_fixture.hpp"

namespace coopvk::layer::posix_configuration_files_test {
namespace {

namespace fs = std::filesystem;

// A variable as it was, at the end.
class Variable {
 public:
    explicit Variable(const char* name) : name_(name) {
        if (const char* value = std::getenv(name)) before_ = value;
    }
    ~Variable() {
        unsetenv(name_);
        if (before_) setenv(name_, before_->c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

 private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(ConfigurationPaths, ByTheEnvironment) {
    const Variable config("XDG_CONFIG_HOME"), home("HOME");
    setenv("XDG_CONFIG_HOME", "/a/config", 1);
    const auto paths = configurationPaths();
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(paths[0], "/etc/coopvk/coopvk.conf");
    EXPECT_EQ(paths[1], "/a/config/coopvk/coopvk.conf");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", "/a/home", 1);
    EXPECT_EQ(configurationPaths()[1], "/a/home/.config/coopvk/coopvk.conf");
    unsetenv("XDG_CONFIG_HOME");
    EXPECT_EQ(configurationPaths()[1], "/a/home/.config/coopvk/coopvk.conf");
    unsetenv("HOME");
    EXPECT_EQ(configurationPaths()[1], "");
}

// Whatever lies there, no program waits or fails.
TEST(ConfigurationPaths, NoFiles) {
    const fs::path file =
        fs::temp_directory_path() / ("coopvk-no-file-" + std::to_string(getpid()));
    const auto faults = [&] { return readConfiguration(file).faults(); };
    EXPECT_TRUE(faults().empty());
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    ASSERT_EQ(faults().size(), 1u);
    EXPECT_NE(faults()[0].find("is no file"), std::string::npos);
    fs::remove(file);
    fs::create_symlink("/dev/zero", file);
    EXPECT_EQ(faults().size(), 1u);
    fs::remove(file);
    fs::create_symlink(file, file);
    EXPECT_EQ(faults().size(), 0u);  // as one that does not exist
    fs::remove(file);
}

// The same of the file that all layers share. What else sets something does so.
class NoSettingsFile : public SettingsTest {
 protected:
    void expectOthersCount() {
        AppSettings app;
        const char* const names[] = {"VK_KHR_shader_bfloat16", "VK_EXT_shader_float8"};
        const VkBool32 yes = VK_TRUE;
        app.add("emulate", VK_LAYER_SETTING_TYPE_STRING_EXT, 2, names);
        app.add("validate_output", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &yes);
        setenv("VK_COOPVK_EMULATION_LOG_LEVEL", "debug", 1);
        const Settings settings = load(app.info());
        EXPECT_EQ(settings.emulateText, "VK_KHR_shader_bfloat16,VK_EXT_shader_float8");
        EXPECT_TRUE(settings.validateOutput);
        EXPECT_EQ(settings.logLevel, LogLevel::kDebug);
        ASSERT_EQ(complaints.size(), 1u);
        EXPECT_NE(complaints[0].find("is no file of at most 1 MiB"), std::string::npos)
            << complaints[0];
    }
};

TEST_F(NoSettingsFile, NamedPipe) {
    useFile("");
    fs::remove(folder / "vk_layer_settings.txt");
    ASSERT_EQ(mkfifo((folder / "vk_layer_settings.txt").c_str(), 0600), 0);
    expectOthersCount();
}

TEST_F(NoSettingsFile, Device) {
    setenv("VK_LAYER_SETTINGS_PATH", "/dev/zero", 1);
    expectOthersCount();
}

TEST_F(NoSettingsFile, Huge) {
    useFile("");
    fs::resize_file(folder / "vk_layer_settings.txt", uintmax_t{1} << 40);
    expectOthersCount();
}

}  // namespace
}  // namespace coopvk::layer::posix_configuration_files_test
