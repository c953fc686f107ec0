// SPDX-License-Identifier: Apache-2.0
//
// Pairs of programs: whether the second one is proved to do what the first one does, for all
// contents of memory.
#pragma once

#include <optional>
#include <string>

#include "coopvk_reference/formats.hpp"

namespace coopvk::reference::symbols_test {

struct Pair {
    const char* name;
    const char* native;     // GLSL: what stands in main(), or a whole program with "void main"
    const char* rewritten;  // the same
    bool isProved;
    numbers::Number number = numbers::Number::f32;  // of the result; integers: u32
};

// Empty: proved.
std::string whyNot(const Pair& pair);
// For names of tests.
std::string wordOf(std::string name);

}  // namespace coopvk::reference::symbols_test
