// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "doctor/finding.hpp"
#include "settings/program_names.hpp"

namespace coopvk::tool {

// What earlier starts of the program, or of all programs if it has no name, keep from it.
void checkFaults(const layer::ProgramNames& names, Findings& findings);

}  // namespace coopvk::tool
