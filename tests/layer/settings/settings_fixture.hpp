// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "settings/settings.hpp"

namespace coopvk::layer {

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

}  // namespace coopvk::layer
