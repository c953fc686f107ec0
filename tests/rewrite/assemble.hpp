// SPDX-License-Identifier: Apache-2.0
//
// SPIR-V assembly to words, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::test {

// Fails the test and returns no words if the text does not assemble.
std::vector<uint32_t> assemble(std::string_view text);

// A compute module that loads an f16 A (rows x depth) and B (depth x columns), multiplies them
// into a zero f32 accumulator and stores it. Specialization constant 0 is the number of rows.
std::string multiplyModule(uint32_t rows, uint32_t columns, uint32_t depth);

// The start of a module, up to %buffer, a storage buffer of floats. `head`: capabilities,
// extensions and memory model. `interface`: of the entry point %main.
std::string bufferPreamble(std::string_view head, std::string_view interface = "%buffer",
                           std::string_view decorations = "", uint32_t invocations = 32);

}  // namespace coopvk::test
