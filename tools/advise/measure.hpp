// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layer_location.hpp"

namespace coopvk::tool {

// One run of a program, from its start to its end.
struct Run {
    int error = 0;        // errno, where it could not be started
    std::string problem;  // why it was not started, where that is no error of the program's
    double seconds = 0;
    std::string failure;  // "status 1" or "signal 11"; empty if it ended well
    std::string output;   // of both streams; if it is long, its end
};

// The program gets no input, and both output streams go to a file. `set` and `unset` change the
// environment. After so many seconds, it is ended; 0: never.
Run runOnce(const std::vector<std::string>& command, const Environment& set,
            const std::vector<std::string>& unset, double limit = 0);

// The object of JSON behind the mark, in a line that the program printed last; nothing: there is
// none, or it did not end well.
std::optional<nlohmann::ordered_json> markedObject(const Run& run, std::string_view mark);
// Why there is none: how the program ended, and the last line of what it printed.
std::string withoutResult(const Run& run);

}  // namespace coopvk::tool
