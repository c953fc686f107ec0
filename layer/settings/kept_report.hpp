// SPDX-License-Identifier: Apache-2.0
//
// The setting `report`: all that `coopvk report` packs goes to one folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::layer {

struct Settings;

// What the folder has, from the settings of these names.
inline constexpr std::string_view kReportLog = "log", kReportShaders = "shaders",
                                  kReportStatistics = "statistics";

// The folder of reports of programs that name none: a folder for each process, "NAME-123". Empty
// where the environment has no cache folder.
std::filesystem::path reportsFolder();

// No more reports than these are begun there, so that they do not fill the disk.
inline constexpr size_t kMostReports = 16;

// Makes the folder of Settings::report, and lets log, shaders and statistics go there, whatever
// other settings say. Where that fails, adds to `complaints`, and changes nothing.
void keepReport(Settings& settings, std::vector<std::string>& complaints);

}  // namespace coopvk::layer
