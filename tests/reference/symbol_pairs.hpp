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
    // GLSL: what stands in main(), or functions with "void main", or all of it with "#version".
    // SPIR-V's text, if it starts with "OpCapability".
    const char* native;
    const char* rewritten;  // the same
    bool isProved;
    numbers::Number number = numbers::Number::f32;  // of the result; integers: u32
    // What is said of them beyond GLSL, in lines: "OpFAdd RelaxedPrecision" decorates each result
    // of this opcode (or "FMin", of GLSL.std.450), "DenormPreserve 32" is a mode.
    const char* nativeSays = "";
    const char* rewrittenSays = "";
};

// Empty: proved. `assumptions`: gets those that it needed.
std::string whyNot(const Pair& pair, uint32_t* assumptions = nullptr);
// For names of tests.
std::string wordOf(std::string name);

}  // namespace coopvk::reference::symbols_test
