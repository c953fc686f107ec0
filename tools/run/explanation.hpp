// SPDX-License-Identifier: Apache-2.0
//
// Explains from the layer's report (layer/report/run_report.hpp) why a program used nothing that
// coopvk emulates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

// Lines for the user; none if something was emulated. `othersLeft`: processes that the program
// started are still running.
std::vector<std::string> explain(std::string_view report, std::string_view program,
                                 bool othersLeft);

}  // namespace coopvk::tool
