// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Prints which sections of coopvk.conf apply to the program that the command starts, and tells what
// is wrong there. Returns whether they switch the layer on. `isAsked`: the loader's manifest leaves
// it to them.
bool checkConfiguration(const std::vector<std::string>& command, bool isAsked, Findings& findings);

}  // namespace coopvk::tool
