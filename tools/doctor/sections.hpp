// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Prints which sections of coopvk.conf apply to the program that the command starts, and reports
// mistakes there. Returns whether the sections switch the layer on. `isAsked`: the manifest that
// the loader uses lets the configuration decide.
bool checkConfiguration(const std::vector<std::string>& command, bool isAsked, Findings& findings);

}  // namespace coopvk::tool
