// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of `coopvk` and `coopvk-compare`. Each adds itself to the command line and, when
// chosen, sets `status`.
#pragma once

#include <CLI/CLI.hpp>

namespace coopvk::tool {

// Exit statuses of the commands that compare results.
constexpr int kAgree = 0, kDiffer = 1, kCouldNotRun = 2;

void addAdviseCommand(CLI::App& app, int& status);
void addConfigCommand(CLI::App& app, int& status);
void addDoctorCommand(CLI::App& app, int& status);
void addInfoCommand(CLI::App& app, int& status);
void addReportCommand(CLI::App& app, int& status);
void addRewriteCommand(CLI::App& app, int& status);
void addRunCommand(CLI::App& app, int& status);

}  // namespace coopvk::tool
