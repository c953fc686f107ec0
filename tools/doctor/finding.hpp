// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace coopvk::tool {

// Something about the layer in a program, and what to do.
struct Finding {
    bool keepsOff = true;  // else it is only good to know
    std::string what, advice;
};
using Findings = std::vector<Finding>;

}  // namespace coopvk::tool
