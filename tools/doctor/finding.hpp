// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace coopvk::tool {

// A finding about the layer in a program, and what to do.
struct Finding {
    bool keepsOff = true;  // if not, it is only information
    std::string what, advice;
};
using Findings = std::vector<Finding>;

}  // namespace coopvk::tool
