// SPDX-License-Identifier: Apache-2.0
//
// What a program's file says about the program.
#pragma once

#include <filesystem>
#include <string>

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Whether it would run with other rights than the user who starts it.
bool isElevated(const std::filesystem::path& program);

// Finds what keeps the layer out of it: elevated rights, another processor, no loader, a sandbox.
void checkProgram(const std::string& name, Findings& findings);

}  // namespace coopvk::tool
