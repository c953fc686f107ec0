// SPDX-License-Identifier: Apache-2.0
//
// Commands of coopvk-compare, a program and a package of its own: `coopvk compare` starts it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace coopvk::tool {

// For --help.
void addPassedOnCommands(CLI::App& app);

// Starts coopvk-compare if the command is one of its own, and returns only if that fails: then the
// exit status. nullopt: another command.
std::optional<int> passOn(int argc, char** argv);

}  // namespace coopvk::tool
