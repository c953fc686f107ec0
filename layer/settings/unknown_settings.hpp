// SPDX-License-Identifier: Apache-2.0
//
// Settings with names that the manifest does not have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/setting_table.hpp"

namespace coopvk::layer {

// "setting emulat: there is no such setting; did you mean 'emulate'?"
std::string unknownSetting(std::string_view given, std::string_view key);

// The variable from which the settings library reads a setting.
std::string libraryVariable(const SettingInfo& setting);

// Complains about variables of the environment that name no setting: all with the prefix of the
// settings library, and those with the prefix COOPVK_ that resemble a setting's variable.
void findUnknownVariables(const char* const* environment, std::vector<std::string>& complaints);

// Complains about unknown keys of this layer in the text of a vk_layer_settings.txt.
void findUnknownKeys(std::string_view text, std::vector<std::string>& complaints);
// Whether the text has the setting's key.
bool hasKey(std::string_view text, const SettingInfo& setting);

inline constexpr const char* kSettingsFile = "vk_layer_settings.txt";

// The settings file that the settings library reads, or an empty path.
struct SettingsFile {
    std::string path;
    // Nobody named the folder: the file may have come with what somebody else made.
    bool isOfCurrentFolder = false;

    // False if reading it might never end, or take all memory: it is no file, or a huge one.
    bool isReadable() const;
    // Without a byte-order mark.
    std::string text() const;
    // The value of a setting that is in the first line, behind a byte-order mark. The library takes
    // that for a part of the key.
    std::optional<std::string> markedValue(std::string_view key) const;
};
SettingsFile settingsFile();

}  // namespace coopvk::layer
