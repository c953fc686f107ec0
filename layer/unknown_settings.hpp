// SPDX-License-Identifier: Apache-2.0
//
// Settings that somebody gave under a name that the manifest does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "setting_table.hpp"

namespace coopvk::layer {

// "setting emulat: there is no such setting; did you mean 'emulate'?"
std::string unknownSetting(std::string_view given, std::string_view key);

// The variable from which the settings library takes a setting.
std::string libraryVariable(const SettingInfo& setting);

// Complains of variables of the environment that are none: all that begin as the settings
// library's do, and of the others that begin with COOPVK_ those that resemble one.
void findUnknownVariables(const char* const* environment, std::vector<std::string>& complaints);

// Complains of keys of this layer in the text of a vk_layer_settings.txt.
void findUnknownKeys(std::string_view text, std::vector<std::string>& complaints);

inline constexpr const char* kSettingsFile = "vk_layer_settings.txt";

// The settings file that the settings library reads, or an empty path.
std::string settingsFile();

}  // namespace coopvk::layer
