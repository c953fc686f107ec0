// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <iostream>

namespace coopvk::tool {

// What main() returns: the program's status, or `failed` where it throws, or where what it printed
// could not be written, as where a disk is full.
template <typename Program>
int runMain(const char* name, int failed, const Program& program) {
    try {
        const int status = program();
        if (std::cout.flush()) return status;
        std::cerr << name << ": cannot write the standard output\n";
    } catch (const std::exception& error) {
        std::cerr << name << ": " << error.what() << '\n';
    }
    return failed;
}

}  // namespace coopvk::tool
