// SPDX-License-Identifier: Apache-2.0
//
// Modules that read all that they compute: the optimiser removes what nothing reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace coopvk::rewrite {

// Stores each value that nothing reads to a variable of its function, with volatile stores.
// Pointers and values that no variable can hold stay as they are.
std::vector<uint32_t> readAll(std::span<const uint32_t> words);

// The same of a module's text (assemble.hpp).
std::vector<uint32_t> assembleAndReadAll(std::string_view text);

}  // namespace coopvk::rewrite
