// SPDX-License-Identifier: Apache-2.0
//
// Settings by program: the user's coopvk.conf and the system's. A file has lines "key = value", as
// vk_layer_settings.txt has, and sections:
//
//   log_level = info                     # outside of sections: in every program
//   [exe = llama-*]                      # in programs whose file has such a name
//   enable = true                        # switches the layer on there
//   emulate = VK_KHR_cooperative_matrix
//
// A section's conditions are separated by commas, and all must be true. Their patterns are those of
// fnmatch(3). Later lines of a file override earlier ones, and the user's file overrides the
// system's.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/program_names.hpp"
#include "settings/setting_table.hpp"

namespace coopvk::layer {

// The key that switches the layer on, in sections only.
inline constexpr std::string_view kEnableKey = "enable";

struct ConfigurationCondition {
    std::string_view name;  // "exe", "wine", "engine" or "application"
    std::string pattern;
};

inline constexpr size_t kMaxConfiguration = size_t{1} << 20;  // bytes of a file

struct ConfigurationLine {
    std::string key, value;  // `key` is a setting's or kEnableKey, and `value` one that it can have
    unsigned line = 0;
};

struct ConfigurationSection {
    std::string title;  // "[exe = llama-*]"; empty for the lines before the first one
    unsigned line = 0;
    bool isBroken = false;  // no program matches it
    std::vector<ConfigurationCondition> conditions;
    std::vector<ConfigurationLine> lines;
    std::vector<std::string> faults;  // "FILE:LINE: what is wrong"
};

struct ConfigurationFile {
    std::string path;
    bool exists = false;
    std::vector<ConfigurationSection> sections;  // the first is the one without a title

    std::vector<std::string> faults() const;  // of all sections
};

// The system's, then the user's; an empty path where the environment names no folder.
std::vector<std::string> configurationPaths();

ConfigurationFile parseConfiguration(const std::string& path, std::string_view text);
// If a file cannot be read, that is a fault; a file that does not exist is empty.
ConfigurationFile readConfiguration(const std::string& path);
std::vector<ConfigurationFile> readConfigurations();

// Whether all conditions are true; whether they may be, if empty names are not known yet.
bool holdsFor(const ConfigurationSection& section, const ProgramNames& names);
bool mayHoldFor(const ConfigurationSection& section, const ProgramNames& names);

// What the files say for one program.
struct ConfiguredSettings {
    struct Value {
        std::string text;
        std::string origin;  // "FILE:LINE"
    };
    std::array<std::optional<Value>, std::size(kSettings)> values;  // in the settings' order
    std::optional<Value> enable;
    std::vector<std::string> faults;  // of lines that apply to the program

    const std::optional<Value>& operator[](const SettingInfo& setting) const {
        return values[static_cast<size_t>(&setting - kSettings)];
    }
    bool isEnabled() const;
};
ConfiguredSettings configuredFor(std::span<const ConfigurationFile> files,
                                 const ProgramNames& names);

}  // namespace coopvk::layer
