// SPDX-License-Identifier: Apache-2.0
//
// Sections that `coopvk run --save` writes into the user's coopvk.conf.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "settings/program_names.hpp"

namespace coopvk::tool {

// Keys and values, in the order in which they are written.
using SavedLines = std::vector<std::pair<std::string, std::string>>;

// "[wine = game.exe]" for a Windows program, "[exe = NAME]" for others; '?' replaces characters
// with a meaning in patterns and comments.
std::string sectionOf(const layer::ProgramNames& names);

// The text of a coopvk.conf with this section. It replaces the section with the same title, whose
// comments stay; if there is none, it is at the end.
std::string withSection(std::string_view text, std::string_view title, const SavedLines& lines);

// The programs in a report of layer/report/run_report.hpp that had an instance.
std::vector<layer::ProgramNames> programsOf(std::string_view report);

// Writes a section for each of the programs, or for `otherwise` if there are none, to the file.
// Returns lines for the user.
rewrite::Result<std::vector<std::string>> saveSections(std::vector<layer::ProgramNames> programs,
                                                       const layer::ProgramNames& otherwise,
                                                       const SavedLines& lines,
                                                       const std::filesystem::path& path);

// Replaces the file's text in one step. Follows links. Makes the folder.
rewrite::Result<bool> replaceFile(const std::filesystem::path& path, const std::string& text);

}  // namespace coopvk::tool
