// SPDX-License-Identifier: Apache-2.0
#include "settings/configuration.hpp"

#include <algorithm>
#include <filesystem>

#include "settings/settings.hpp"
#include "settings/unknown_settings.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "coopvk/coopvk.conf";

enum class Case { kRegarded, kIgnored, kOfFiles };

struct NameRow {
    std::string_view name;
    std::string ProgramNames::* member;
    Case letterCase;
};
constexpr NameRow kConditionNames[] = {
    {"exe", &ProgramNames::exe, Case::kOfFiles},
    {"wine", &ProgramNames::wine, Case::kIgnored},  // as Windows compares names of files
    {"engine", &ProgramNames::engine, Case::kRegarded},
    {"application", &ProgramNames::application, Case::kRegarded},
};

// Reads a file line by line into sections.
class Parser {
 public:
    explicit Parser(ConfigurationFile& file) : file_(file) { file_.sections.emplace_back(); }

    void read(std::string_view text) {
        if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
        while (!text.empty()) {
            const std::string_view line = takeUntil('\n', text);
            ++line_;
            readLine(trimmed(line.substr(0, line.find('#'))));
        }
    }

 private:
    ConfigurationSection& section() { return file_.sections.back(); }

    void complain(const std::string& what) {
        section().faults.push_back(file_.path + ":" + std::to_string(line_) + ": " + what);
    }

    void readLine(std::string_view line) {
        if (line.empty()) return;
        if (line.starts_with('[')) return openSection(line);
        const size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            return complain("neither 'key = value' nor '[section]': " + inQuotes(line));
        }
        readAssignment(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }

    void openSection(std::string_view line) {
        file_.sections.emplace_back();
        section().line = line_;
        section().title = line;
        if (!line.ends_with(']')) return breakSection("a section's line ends with ']': ", line);
        std::string_view conditions = line.substr(1, line.size() - 2);
        for (;;) {
            const std::string_view condition = conditions.substr(0, conditions.find(','));
            if (!addCondition(condition)) {
                return breakSection(
                    "a section is '[NAME = PATTERN]', with the names exe, wine, engine and "
                    "application: ",
                    line);
            }
            if (condition.size() == conditions.size()) return;
            conditions.remove_prefix(condition.size() + 1);
        }
    }

    void breakSection(const char* why, std::string_view line) {
        section().isBroken = true;
        complain(why + inQuotes(line));
    }

    bool addCondition(std::string_view text) {
        const size_t equals = text.find('=');
        if (equals == std::string_view::npos) return false;
        const std::string_view pattern = trimmed(text.substr(equals + 1));
        const auto* row =
            std::ranges::find(kConditionNames, trimmed(text.substr(0, equals)), &NameRow::name);
        if (row == std::end(kConditionNames) || pattern.empty()) return false;
        section().conditions.push_back({row->name, std::string(pattern)});
        return true;
    }

    void readAssignment(std::string_view key, std::string_view value) {
        const bool isEnable = key == kEnableKey;
        if (!isEnable && findSetting(key) == nullptr) {
            return complain(unknownSetting(key, key));
        }
        if (isEnable && section().title.empty()) {
            return complain(
                "enable must be in a section: it switches the layer on for the programs "
                "that match it");
        }
        if (isEnable && !booleanFromText(value)) {
            return complain("enable: neither true nor false: " + inQuotes(value));
        }
        if (!isEnable) {
            const auto complaints = checkSetting(key, value);
            for (const std::string& complaint : complaints) complain(complaint);
            if (!complaints.empty()) return;
        }
        section().lines.push_back({std::string(key), std::string(value), line_});
    }

    ConfigurationFile& file_;
    unsigned line_ = 0;
};

// Nothing if the name is empty.
std::optional<bool> conditionHolds(const ConfigurationCondition& condition,
                                   const ProgramNames& names) {
    const auto* row = std::ranges::find(kConditionNames, condition.name, &NameRow::name);
    const std::string& name = names.*row->member;
    if (name.empty()) return std::nullopt;
    const bool ignoreCase = row->letterCase == Case::kOfFiles ? system::kFileNamesIgnoreCase
                                                              : row->letterCase == Case::kIgnored;
    return system::matchesPattern(condition.pattern, name, ignoreCase);
}

}  // namespace

std::vector<std::string> ConfigurationFile::faults() const {
    std::vector<std::string> all;
    for (const ConfigurationSection& section : sections) {
        all.insert(all.end(), section.faults.begin(), section.faults.end());
    }
    return all;
}

std::vector<std::string> configurationPaths() {
    const auto fileIn = [](const fs::path& folder) {
        return folder.empty() ? std::string() : (folder / kFile).make_preferred().string();
    };
    return {fileIn(system::systemConfigFolder()), fileIn(system::userConfigFolder())};
}

ConfigurationFile parseConfiguration(const std::string& path, std::string_view text) {
    ConfigurationFile file;
    file.path = path;
    file.exists = true;
    Parser(file).read(text);
    return file;
}

ConfigurationFile readConfiguration(const std::string& path) {
    std::error_code error;
    const auto problem = [&](const char* what) {
        ConfigurationFile file = parseConfiguration(path, {});
        file.sections.front().faults.push_back(path + ": " + what);
        return file;
    };
    if (!fs::exists(path, error)) {
        ConfigurationFile none = parseConfiguration(path, {});
        none.exists = false;
        return none;
    }
    if (!fs::is_regular_file(path, error)) return problem("is no file");
    if (fs::file_size(path, error) > kMaxConfiguration && !error)
        return problem("is larger than 1 MiB");
    const auto text = readText(path, kMaxConfiguration);
    return text ? parseConfiguration(path, *text) : problem("cannot be read");
}

std::vector<ConfigurationFile> readConfigurations() {
    std::vector<ConfigurationFile> files;
    for (const std::string& path : configurationPaths()) files.push_back(readConfiguration(path));
    return files;
}

bool holdsFor(const ConfigurationSection& section, const ProgramNames& names) {
    return !section.isBroken && std::ranges::all_of(section.conditions, [&](const auto& condition) {
        return conditionHolds(condition, names).value_or(false);
    });
}

bool mayHoldFor(const ConfigurationSection& section, const ProgramNames& names) {
    return !section.isBroken && std::ranges::all_of(section.conditions, [&](const auto& condition) {
        return conditionHolds(condition, names).value_or(true);
    });
}

bool ConfiguredSettings::isEnabled() const {
    return enable && booleanFromText(enable->text).value_or(false);
}

ConfiguredSettings configuredFor(std::span<const ConfigurationFile> files,
                                 const ProgramNames& names) {
    ConfiguredSettings result;
    for (const ConfigurationFile& file : files) {
        for (const ConfigurationSection& section : file.sections) {
            if (!section.isBroken && !holdsFor(section, names)) continue;
            // Nobody knows for which programs a broken section was meant. So all programs log that
            // it is broken, and none logs the faults in its lines.
            const auto faults =
                std::span(section.faults).first(section.isBroken ? 1 : section.faults.size());
            result.faults.insert(result.faults.end(), faults.begin(), faults.end());
            if (section.isBroken) continue;
            for (const ConfigurationLine& line : section.lines) {
                const SettingInfo* setting = findSetting(line.key);
                auto& place = setting == nullptr
                                  ? result.enable
                                  : result.values[static_cast<size_t>(setting - kSettings)];
                place = {line.value, file.path + ":" + std::to_string(line.line)};
            }
        }
    }
    return result;
}

}  // namespace coopvk::layer
