// SPDX-License-Identifier: Apache-2.0
//
// The layer's settings as options of commands that start programs, and the environment for these
// programs.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <string>

#include "coopvk/rewrite.hpp"
#include "layer_location.hpp"
#include "settings/setting_table.hpp"

namespace coopvk::tool {

// One for each of the layer's settings, in their order; empty where it was not given.
using SettingTexts = std::array<std::string, std::size(layer::kSettings)>;

// Of a setting.
constexpr size_t indexOf(std::string_view key) {
    return static_cast<size_t>(layer::findSetting(key) - layer::kSettings);
}

// --log-level and so on.
void addSettingOptions(CLI::App& command, SettingTexts& texts);

// The value of a setting, with absolute paths for programs with another working directory.
std::string valueOf(const SettingTexts& texts, const layer::SettingInfo& setting);

// Variables that switch the layer on, with these settings, in a program; or what is wrong with
// them. Makes the folder for dumps.
rewrite::Result<Environment> layerEnvironment(const SettingTexts& texts);

}  // namespace coopvk::tool
