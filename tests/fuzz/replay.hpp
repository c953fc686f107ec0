// SPDX-License-Identifier: Apache-2.0
//
// The main program of what tries a fuzzer's files without a fuzzer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coopvk::fuzz {

using Check = std::optional<std::string> (*)(std::span<const uint8_t> bytes);
using Explain = void (*)(const std::vector<uint8_t>& bytes);

// Exit status: 0 if there were files and nothing was wrong with any.
int replay(int count, char** arguments, Check check, Explain explain);

}  // namespace coopvk::fuzz
