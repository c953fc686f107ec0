// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk run` demands of a program, for tests that nobody watches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

struct Requirements {
    std::vector<std::string> extensions;  // each must have been emulated in a shader or a command
    bool strict = false;                  // something was emulated, and nothing refused

    bool empty() const { return extensions.empty() && !strict; }
};

// Names of extensions that coopvk does not know.
std::vector<std::string> unknownExtensions(const Requirements& requirements);

// A line for each demand that the layer's report (layer/report/run_report.hpp) does not fulfil.
std::vector<std::string> unfulfilled(const Requirements& requirements, std::string_view report);

}  // namespace coopvk::tool
