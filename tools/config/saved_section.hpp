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
#include "program_names.hpp"

namespace coopvk::tool {

// Keys and values, in the order in which they are written.
using SavedLines = std::vector<std::pair<std::string, std::string>>;

// "[wine = game.exe]" of a Windows program, "[exe = NAME]" of others, with the characters that
// patterns and comments are made of replaced by '?'.
std::string sectionOf(const layer::ProgramNames& names);

// The text of a coopvk.conf with this section: in place of the one with the same title, of which
// comments stay, or else at the end.
std::string withSection(std::string_view text, std::string_view title, const SavedLines& lines);

// The programs in a report of layer/run_report.hpp that had an instance.
std::vector<layer::ProgramNames> programsOf(std::string_view report);

// Puts a section for each of the programs, or for `otherwise` where there are none, into the file.
// Returns what to tell of it.
rewrite::Result<std::vector<std::string>> saveSections(std::vector<layer::ProgramNames> programs,
                                                       const layer::ProgramNames& otherwise,
                                                       const SavedLines& lines,
                                                       const std::filesystem::path& path);

// Puts the text in place of the file's, at once. Follows links. Makes the folder.
rewrite::Result<bool> replaceFile(const std::filesystem::path& path, const std::string& text);

}  // namespace coopvk::tool
