// SPDX-License-Identifier: Apache-2.0
//
// Text of small compute shaders. Buffer %in is binding 0, %out binding 1, both of 32-bit words.
#pragma once

#include <string>
#include <string_view>

#include "program_runner.hpp"

namespace coopvk::reference::test {

struct ShaderText {
    std::string declarations;  // types, constants, variables of the module
    std::string functions;     // before main
    std::string body;          // of main; %i is the invocation's index, a u32
    std::string annotations;   // modes and decorations
    std::string capabilities;
    std::string memoryModel = "Logical GLSL450";
    uint32_t localSize = 4;
};

// Types %u8 to %u64, %s8 to %s64, %f16 to %f64, %bool, %v2u32 to %v4u32, %v2f32 to %v4f32;
// constants %u_0 to %u_16, %f_0, %f_1, %true, %false; pointers %p_in, %p_function_u32.
std::string shader(const ShaderText& text);

// Lines that load word `index` (an id of u32) of %in into %name, and store %value there in %out.
std::string loadWord(std::string_view name, std::string_view index);
std::string storeWord(std::string_view index, std::string_view value);

// Reports of a check.
uint32_t countReports(const Execution& run, Check check);

}  // namespace coopvk::reference::test
