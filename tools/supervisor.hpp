// SPDX-License-Identifier: Apache-2.0
//
// Starts a program and waits for it, as transparently as a shell does.
#pragma once

#include <string>
#include <vector>

namespace coopvk::tool {

struct Ended {
    int error = 0;   // errno, where the program could not be started
    int status = 0;  // as waitpid returns it; on Windows, the exit code
    bool othersLeft = false;
};

// Passes signals for this process on to the program. The program ends when this process ends.
Ended runAndWait(const std::vector<std::string>& command);

// Ends this process as the program ended: with the same status, or by the same signal.
[[noreturn]] void endLike(int status);

// Replaces this process by the program; returns errno if that fails.
int replaceBy(const std::vector<std::string>& command);

}  // namespace coopvk::tool
