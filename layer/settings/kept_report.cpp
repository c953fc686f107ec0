// SPDX-License-Identifier: Apache-2.0
#include "settings/kept_report.hpp"

#include <format>

#include "settings/settings.hpp"
#include "system/files.hpp"
#include "system/program.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

// The folder of this process; else why there is none.
rewrite::Result<fs::path> ownReportFolder() {
    const auto problem = [](std::string message) {
        return rewrite::Error{rewrite::ErrorCode::kInvalidArgument, std::move(message)};
    };
    const fs::path reports = reportsFolder();
    if (reports.empty()) return problem("the environment names no folder of this user");
    const fs::path own = reports / expandPath("%n-%p");
    const auto names = namesInFolder(reports.string());
    const bool isNew = std::ranges::find(names, own.filename().string()) == names.end();
    if (isNew && names.size() >= kMostReports)
        return problem(
            std::format("{} has {} reports (coopvk report --kept packs one, and removes it)",
                        inQuotes(reports.string()), names.size()));
    return own;
}

}  // namespace

fs::path reportsFolder() {
    const fs::path cache = system::userCacheFolder();
    return cache.empty() ? fs::path() : cache / "coopvk" / "reports";
}

void keepReport(Settings& settings, std::vector<std::string>& complaints) {
    const bool isOwn = settings.report == kOwnReport;
    const auto folder = isOwn ? ownReportFolder() : rewrite::Result<fs::path>(settings.report);
    if (!folder) {
        complaints.push_back("setting report: " + folder.error().message);
        return;
    }
    if (!makeOwnFolder(folder->string())) {
        complaints.push_back("setting report: cannot write to " + inQuotes(folder->string()));
        return;
    }
    settings.logFile = (*folder / kReportLog).string();
    settings.dumpDir = (*folder / kReportShaders).string();
    settings.statistics = (*folder / kReportStatistics).string();
    settings.logLevel = LogLevel::kDebug;
    settings.validateOutput = true;
    settings.remember = false;  // what is reported is to happen again
}

}  // namespace coopvk::layer
