// SPDX-License-Identifier: Apache-2.0
#include "settings/unknown_settings.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "settings/configuration.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

// The names that the settings library uses in the environment and in its file.
constexpr std::string_view kLibraryPrefix = "VK_COOPVK_EMULATION_", kPrefix = "COOPVK_";
constexpr std::string_view kKeyPrefix = "coopvk_emulation.";
// Variables that are no settings.
constexpr std::string_view kOtherVariables[] = {"COOPVK_ENABLE", "COOPVK_DISABLE",
                                                "COOPVK_RUN_REPORT"};

constexpr size_t kNear = 3;  // letters to change, take or add

// Levenshtein's distance.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t corner = row[0]++;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t changed = corner + (a[i] == b[j] ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
        }
    }
    return row.back();
}

// The setting that the user may have meant, or null.
const SettingInfo* nearest(std::string_view key) {
    const auto* found = std::ranges::min_element(
        kSettings, {}, [&](const SettingInfo& setting) { return distance(key, setting.key); });
    return distance(key, found->key) <= kNear ? found : nullptr;
}

// This layer's keys in the text of a vk_layer_settings.txt, without their prefix.
std::vector<std::string_view> keysIn(std::string_view text) {
    std::vector<std::string_view> keys;
    while (!text.empty()) {
        std::string_view line = takeUntil('\n', text);
        line = line.substr(0, line.find('#'));
        const std::string_view name = trimmed(line.substr(0, line.find('=')));
        if (line.find('=') == std::string_view::npos || !name.starts_with(kKeyPrefix)) continue;
        keys.push_back(name.substr(kKeyPrefix.size()));
    }
    return keys;
}

}  // namespace

std::string libraryVariable(const SettingInfo& setting) {
    return std::string(kLibraryPrefix) + upperCase(setting.key);
}

std::string unknownSetting(std::string_view given, std::string_view key) {
    std::string line = "setting ";
    line.append(shortened(given)).append(": there is no such setting");
    if (const SettingInfo* meant = nearest(key)) {
        line.append("; did you mean '").append(meant->key).append("'?");
    }
    return line;
}

void findUnknownVariables(const char* const* environment, std::vector<std::string>& complaints) {
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry = *environment;
        const std::string_view name = entry.substr(0, entry.find('='));
        const bool isLibrarys = name.starts_with(kLibraryPrefix);
        if (!isLibrarys && !name.starts_with(kPrefix)) continue;
        const std::string key =
            lowerCase(name.substr(isLibrarys ? kLibraryPrefix.size() : kPrefix.size()));
        if (findSetting(key) != nullptr || std::ranges::count(kOtherVariables, name) != 0) continue;
        // Scripts and tests of coopvk have variables of their own.
        if (!isLibrarys && nearest(key) == nullptr) continue;
        complaints.push_back(unknownSetting(name, key));
    }
}

void findUnknownKeys(std::string_view text, std::vector<std::string>& complaints) {
    for (const std::string_view key : keysIn(text)) {
        if (findSetting(key) != nullptr) continue;
        complaints.push_back(unknownSetting(std::string(kKeyPrefix).append(key), key));
    }
}

bool hasKey(std::string_view text, const SettingInfo& setting) {
    return std::ranges::count(keysIn(text), setting.key) != 0;
}

bool SettingsFile::isReadable() const {
    std::error_code error;
    if (!fs::exists(path, error)) return true;
    return fs::is_regular_file(path, error) && fs::file_size(path, error) <= kMaxConfiguration &&
           !error;
}

std::string SettingsFile::text() const {
    std::string text = readText(path, kMaxConfiguration).value_or("");
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    return text;
}

std::optional<std::string> SettingsFile::markedValue(std::string_view key) const {
    const std::string text = readText(path, kMaxConfiguration).value_or("");
    std::string_view rest = text;
    if (!rest.starts_with(kByteOrderMark)) return std::nullopt;
    rest.remove_prefix(kByteOrderMark.size());
    std::string_view line = takeUntil('\n', rest);
    line = line.substr(0, line.find('#'));
    if (keysIn(line) != std::vector{key}) return std::nullopt;
    return std::string(trimmed(line.substr(line.find('=') + 1)));
}

// The library does not say which file it reads: that of its own folder, else that of the variable,
// else that of the current folder.
SettingsFile settingsFile() {
    const fs::path file = kSettingsFile;
    std::error_code error;
    if (const fs::path folder = system::settingsFolder();
        !folder.empty() && fs::is_regular_file(folder / file, error)) {
        return {(folder / file).string(), folder.is_relative()};
    }
    if (const fs::path named = system::variable("VK_LAYER_SETTINGS_PATH");
        fs::exists(named, error)) {
        return {(fs::is_directory(named, error) ? named / file : named).string()};
    }
    if (!fs::exists(file, error)) return {};
    return {file.string(), true};
}

}  // namespace coopvk::layer
