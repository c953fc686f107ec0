// SPDX-License-Identifier: Apache-2.0
//
// Why a program ran without anything that coopvk emulates, from what the layer reported of it
// (layer/run_report.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

// Lines for a person. None where something was emulated. `othersLeft`: processes of the program
// outlived it.
std::vector<std::string> explain(std::string_view report, std::string_view program,
                                 bool othersLeft);

}  // namespace coopvk::tool
