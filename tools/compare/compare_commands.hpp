// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace coopvk::tool {

void addCheckCommand(CLI::App& app, int& status);
void addCompareOptions(CLI::App& app, int& status);
void addProveCommand(CLI::App& app, int& status);
void addProbeCommand(CLI::App& app, int& status);
void addSelftestCommand(CLI::App& app, int& status);
void addTuneCommand(CLI::App& app, int& status);

}  // namespace coopvk::tool
