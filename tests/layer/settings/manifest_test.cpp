// SPDX-License-Identifier: Apache-2.0
//
// Compares the layer's manifest, as the loader and Vulkan Configurator read it, with the layer
// itself.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "settings/setting_table.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer::manifest_test {
namespace {

using nlohmann::json;

json manifest() {
    std::ifstream file(COOPVK_MANIFEST);
    return json::parse(file).at("layer");
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

// The text of a setting in a settings file or a variable.
std::string textOf(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

bool isSame(const Settings& a, const Settings& b) {
    return a.emulate.mode == b.emulate.mode && a.emulate.list == b.emulate.list &&
           a.backEnd == b.backEnd && a.logLevel == b.logLevel && a.logFile == b.logFile &&
           a.dumpDir == b.dumpDir && a.validateOutput == b.validateOutput &&
           a.statistics == b.statistics && a.lines == b.lines &&
           a.dumpInputs.bytes == b.dumpInputs.bytes &&
           a.dumpInputs.dispatches == b.dumpInputs.dispatches && a.shownIds == b.shownIds &&
           a.rewriteLimit == b.rewriteLimit && a.elementLayout == b.elementLayout &&
           a.numerics == b.numerics && a.remember == b.remember &&
           a.readsProfile == b.readsProfile && a.tuning == b.tuning;
}

class ManifestTest : public testing::Test {
 protected:
    ManifestTest() : layer(manifest()), settings(layer.at("features").at("settings")) { clear(); }
    ~ManifestTest() override { clear(); }

    void clear() {
        for (const SettingInfo& setting : kSettings) {
            unsetenv(setting.variable);
            unsetenv(("VK_COOPVK_EMULATION_" + upper(setting.key)).c_str());
        }
        unsetenv("VK_LAYER_SETTINGS_PATH");
    }
    Settings load() {
        complaints.clear();
        return loadSettings(nullptr, complaints);
    }

    json layer;
    json settings;
    std::vector<std::string> complaints;
};

TEST_F(ManifestTest, Head) {
    EXPECT_EQ(layer.at("name"), kLayerName);
    EXPECT_EQ(layer.at("description"), kLayerDescription);
    EXPECT_EQ(layer.at("enable_environment"), json({{"COOPVK_ENABLE", "1"}}));
    EXPECT_EQ(layer.at("disable_environment"), json({{"COOPVK_DISABLE", "1"}}));
}

// A loader lists such extensions, and programs such as vulkaninfo enable all that are listed. But a
// loader creates no instance with an extension that is newer than itself: that of Debian 12 knows
// no VK_EXT_layer_settings.
TEST_F(ManifestTest, NamesNoInstanceExtensions) {
    EXPECT_FALSE(layer.contains("instance_extensions")) << layer.at("instance_extensions");
}

// What Vulkan Configurator requires of a setting.
TEST_F(ManifestTest, EverySettingIsDescribed) {
    const std::set<std::string> types = {"STRING", "ENUM", "BOOL", "SAVE_FILE", "SAVE_FOLDER"};
    std::set<std::string> keys;
    for (const json& setting : settings) {
        const auto key = setting.at("key").get<std::string>();
        SCOPED_TRACE(key);
        EXPECT_TRUE(keys.insert(key).second) << "twice";
        EXPECT_EQ(setting.at("env"), "COOPVK_" + upper(key));
        EXPECT_FALSE(setting.at("label").get<std::string>().empty());
        EXPECT_TRUE(setting.at("description").get<std::string>().ends_with('.'));
        EXPECT_TRUE(types.contains(setting.at("type")));
        EXPECT_EQ(setting.at("platforms"), json({COOPVK_PLATFORM}));
        const bool isBool = setting.at("type") == "BOOL";
        EXPECT_EQ(setting.at("default").is_boolean(), isBool);
        EXPECT_EQ(setting.at("default").is_string(), !isBool);
        EXPECT_EQ(setting.contains("flags"), setting.at("type") == "ENUM");
        if (!setting.contains("flags")) continue;
        std::set<std::string> values;
        for (const json& flag : setting.at("flags")) {
            EXPECT_TRUE(values.insert(flag.at("key")).second);
            EXPECT_FALSE(flag.at("label").get<std::string>().empty());
            EXPECT_FALSE(flag.at("description").get<std::string>().empty());
        }
        EXPECT_TRUE(values.contains(setting.at("default")));
    }
}

TEST_F(ManifestTest, TheLayersTableIsTheManifests) {
    ASSERT_EQ(std::size(kSettings), settings.size());
    for (size_t i = 0; i < settings.size(); ++i) {
        const SettingInfo& setting = kSettings[i];
        EXPECT_EQ(setting.key, textOf(settings[i].at("key")));
        EXPECT_EQ(setting.variable, textOf(settings[i].at("env")));
        EXPECT_EQ(setting.type, textOf(settings[i].at("type")));
        EXPECT_EQ(setting.standard, textOf(settings[i].at("default")));
        EXPECT_EQ(setting.description, textOf(settings[i].at("description")));
        std::vector<std::string> flags;
        for (const json& flag : settings[i].value("flags", json::array())) {
            flags.push_back(flag.at("key"));
        }
        EXPECT_TRUE(std::ranges::equal(setting.values(), flags)) << setting.key;
    }
}

// To set the default value has no effect, from any source.
TEST_F(ManifestTest, DefaultsAreTheLayers) {
    const Settings standard = load();
    EXPECT_TRUE(isSame(standard, Settings()));
    for (const json& setting : settings) {
        for (const std::string& variable :
             {setting.at("env").get<std::string>(),
              "VK_COOPVK_EMULATION_" + upper(setting.at("key").get<std::string>())}) {
            setenv(variable.c_str(), textOf(setting.at("default")).c_str(), 1);
            EXPECT_TRUE(isSame(load(), standard)) << variable;
            EXPECT_TRUE(complaints.empty()) << variable << ": " << complaints.front();
            unsetenv(variable.c_str());
        }
    }
}

// Any other value, for each setting and from each source, changes what the layer does.
TEST_F(ManifestTest, EverySettingReachesTheLayer) {
    const Settings standard = load();
    const auto folder = std::filesystem::temp_directory_path() /
                        ("coopvk-manifest-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (const json& setting : settings) {
        const auto key = setting.at("key").get<std::string>();
        std::vector<std::string> values = {key == "emulate"       ? "all"
                                           : key.ends_with("_id") ? "10"
                                                                  : "/a/path"};
        if (key == "dump_inputs") values = {"64M", "100", "2K,10"};
        if (key == "tuning") values = {"off", "slice=4,rows=shifted"};
        if (key == "rewrite_limit") values = {"0", "500M", "3000000000"};
        if (setting.at("type") == "BOOL") values = {setting.at("default") == true ? "0" : "1"};
        if (setting.contains("flags")) {
            values.clear();
            for (const json& flag : setting.at("flags")) {
                if (flag.at("key") != setting.at("default")) values.push_back(flag.at("key"));
            }
        }
        for (const std::string& value : values) {
            SCOPED_TRACE(key + " = " + value);
            for (const std::string& variable :
                 {setting.at("env").get<std::string>(), "VK_COOPVK_EMULATION_" + upper(key)}) {
                setenv(variable.c_str(), value.c_str(), 1);
                EXPECT_FALSE(isSame(load(), standard)) << variable;
                EXPECT_TRUE(complaints.empty()) << variable << ": " << complaints.front();
                unsetenv(variable.c_str());
            }
            std::ofstream(folder / "vk_layer_settings.txt")
                << "coopvk_emulation." << key << " = " << value << '\n';
            setenv("VK_LAYER_SETTINGS_PATH", folder.c_str(), 1);
            EXPECT_FALSE(isSame(load(), standard)) << "from a file";
            EXPECT_TRUE(complaints.empty()) << complaints.front();
            unsetenv("VK_LAYER_SETTINGS_PATH");
        }
        if (setting.at("type") != "ENUM" && setting.at("type") != "BOOL") continue;
        setenv(setting.at("env").get_ref<const std::string&>().c_str(), "perhaps", 1);
        EXPECT_TRUE(isSame(load(), standard)) << key;
        ASSERT_EQ(complaints.size(), 1u) << key;
        EXPECT_NE(complaints[0].find(key), std::string::npos) << complaints[0];
        EXPECT_NE(complaints[0].find("perhaps"), std::string::npos) << complaints[0];
        clear();
    }
    std::filesystem::remove_all(folder);
}

TEST_F(ManifestTest, PresetsAreOfKnownSettings) {
    for (const json& preset : layer.at("features").at("presets")) {
        EXPECT_FALSE(preset.at("label").get<std::string>().empty());
        EXPECT_FALSE(preset.at("description").get<std::string>().empty());
        for (const json& value : preset.at("settings")) {
            const SettingInfo* setting = findSetting(value.at("key").get_ref<const std::string&>());
            ASSERT_NE(setting, nullptr) << value;
            EXPECT_EQ(value.at("value").is_boolean(), setting->type == "BOOL");
            setenv(setting->variable, textOf(value.at("value")).c_str(), 1);
        }
        load();
        EXPECT_TRUE(complaints.empty()) << preset.at("label") << ": " << complaints.front();
        clear();
    }
}

}  // namespace
}  // namespace coopvk::layer::manifest_test
