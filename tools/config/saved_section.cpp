// SPDX-License-Identifier: Apache-2.0
#include "config/saved_section.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "failure.hpp"
#include "report/run_report.hpp"
#include "settings/configuration.hpp"
#include "system/files.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// A name as a pattern that it matches.
std::string patternOf(std::string_view name) {
    constexpr std::string_view kSpecial = "*[]\\,#";
    std::string pattern(name);
    std::ranges::replace_if(
        pattern,
        [&](char c) {
            return static_cast<unsigned char>(c) < 0x20 || kSpecial.find(c) != kSpecial.npos;
        },
        '?');
    return pattern;
}

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        lines.emplace_back(line);
    }
    return lines;
}

}  // namespace

std::string sectionOf(const layer::ProgramNames& names) {
    return names.wine.empty() ? "[exe = " + patternOf(names.exe) + "]"
                              : "[wine = " + patternOf(names.wine) + "]";
}

std::string withSection(std::string_view text, std::string_view title, const SavedLines& saved) {
    std::vector<std::string> lines = linesOf(text);
    const auto file = layer::parseConfiguration("", text);
    const layer::ConfigurationSection* found = nullptr;
    for (const auto& section : file.sections) {
        if (section.title == title && !section.isBroken) found = &section;  // the last one wins
    }
    size_t place = lines.size();
    if (found != nullptr) {
        place = found->line;  // behind the title, whose number counts from one
        for (auto line = found->lines.rbegin(); line != found->lines.rend(); ++line) {
            lines.erase(lines.begin() + line->line - 1);
        }
    } else {
        if (!lines.empty()) lines.emplace_back();
        lines.emplace_back(title);
        place = lines.size();
    }
    for (const auto& [key, value] : saved) {
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place++), key + " = " + value);
    }
    std::string result;
    for (const std::string& line : lines) result += line + '\n';
    return result;
}

rewrite::Result<bool> replaceFile(const fs::path& path, const std::string& text) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    if (error) return failure(path.string() + ": " + error.message());
    fs::create_directories(target.parent_path(), error);
    const auto before = fs::status(target, error).permissions();
    const bool existed = fs::exists(target, error);
    const auto folder = layer::OutputFolder::open(target.parent_path().string());
    if (!folder) return failure(path.string() + ": " + folder.error().message);
    if (folder->path() != target.parent_path() ||
        !folder->write(target.filename().string(), text)) {
        return failure("cannot write " + path.string());
    }
    if (existed) fs::permissions(target, before, error);
    return true;
}

std::vector<layer::ProgramNames> programsOf(std::string_view report) {
    std::vector<layer::ProgramNames> programs;
    for (const std::string& line : linesOf(report)) {
        // EVENT PROCESS PROGRAM EXE WINE
        std::array<std::string, 5> fields;
        std::istringstream stream(line);
        for (std::string& field : fields) std::getline(stream, field, '\t');
        if (fields[0] != layer::run_event::kProgram || fields[3].empty()) continue;
        const bool isKnown = std::ranges::any_of(programs, [&](const layer::ProgramNames& known) {
            return known.exe == fields[3] && known.wine == fields[4];
        });
        if (!isKnown) programs.push_back({fields[3], fields[4], "", ""});
    }
    return programs;
}

rewrite::Result<std::vector<std::string>> saveSections(std::vector<layer::ProgramNames> programs,
                                                       const layer::ProgramNames& otherwise,
                                                       const SavedLines& lines,
                                                       const fs::path& path) {
    if (path.empty()) return failure(layer::system::kNoUserFolder);
    for (const auto& [key, value] : lines) {
        if (value.find_first_of("#\n") != std::string::npos) {
            return failure(key + " cannot be '" + value + "' in a file, where # begins a comment");
        }
    }
    std::vector<std::string> told;
    if (programs.empty()) {
        told.emplace_back(
            "no program created a Vulkan instance with the layer; saved for the program of the "
            "command line");
        programs.push_back(otherwise);
    }
    std::error_code error;
    const bool exists = fs::exists(path, error) || error;
    const auto before = layer::readText(path, layer::kMaxConfiguration);
    if (exists && !before) return failure(path.string() + " cannot be read");
    std::string text = before.value_or("");
    for (const layer::ProgramNames& program : programs) {
        const std::string title = sectionOf(program);
        text = withSection(text, title, lines);
        told.push_back("saved: section " + title + " in " + path.string());
    }
    const auto replaced = replaceFile(path, text);
    if (!replaced) return replaced.error();
    return told;
}

}  // namespace coopvk::tool
