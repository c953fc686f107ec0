// SPDX-License-Identifier: Apache-2.0
//
// The main program for trying a fuzzer's files without a fuzzer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coopvk::fuzz {

using Bytes = std::vector<uint8_t>;

struct Subject {
    std::optional<std::string> (*check)(std::span<const uint8_t> bytes);
    // Some change of a file, with another one at hand.
    Bytes (*change)(const Bytes& bytes, const Bytes& other, uint32_t seed);
    void (*explain)(const Bytes& bytes) = nullptr;
};

// [--explain] [--changes N] FILE|FOLDER...: tries all files, then N changes of them, always the
// same ones. Exit status: 0 if there were files and nothing was wrong.
int replay(int count, char** arguments, const Subject& subject);

}  // namespace coopvk::fuzz
