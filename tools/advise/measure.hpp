// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "layer_location.hpp"

namespace coopvk::tool {

// One run of a program, from its start to its end.
struct Run {
    int error = 0;  // errno, where it could not be started
    double seconds = 0;
    std::string failure;  // "status 1" or "signal 11"; empty if it ended well
    std::string output;   // of both streams; of a long one, the end
};

// Nothing to read, and both output streams into a file. `set` and `unset` change the environment.
Run runOnce(const std::vector<std::string>& command, const Environment& set,
            const std::vector<std::string>& unset);

}  // namespace coopvk::tool
