// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace coopvk::tool {

// The status where the command line is wrong.
constexpr int kWrongUsage = 2;
// That of `coopvk run` where it starts no program, or the program did not do what was required.
// Programs rarely end with it, and shells never.
constexpr int kRunFailed = 125;

// Runs the command that the arguments name, which sets `status`. Help is as wide as the terminal.
// If the arguments are wrong, one line says how, and which --help has the right ones.
int parse(CLI::App& app, int argc, char** argv, const int& status);

// The first line of a command's help, where a program follows its options.
void startsProgram(CLI::App& command, bool isOptional = false);

}  // namespace coopvk::tool
