// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it, as transparently as a shell does.
#pragma once

#include <string>
#include <vector>

namespace coopvk::tool {

struct Ended {
    int error = 0;   // errno, where the program could not be started
    int status = 0;  // as waitpid has it
    bool othersLeft = false;
};

// Signals that are sent to this process go on to the program; the program ends with this process.
Ended runAndWait(const std::vector<std::string>& command);

// Ends this process as the program ended: by the same status, or the same signal.
[[noreturn]] void endLike(int status);

// In place of this process; returns errno.
int replaceBy(const std::vector<std::string>& command);

}  // namespace coopvk::tool
