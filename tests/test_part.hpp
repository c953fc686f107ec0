// SPDX-License-Identifier: Apache-2.0
//
// Which part of a long test a run takes: docs/CONTRIBUTING.md, "What the tests run".
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace coopvk::test {

// COOPVK_TEST_FULL=1: every case.
inline bool runsAll() {
    const char* text = std::getenv("COOPVK_TEST_FULL");
    return text != nullptr && std::string_view(text) == "1";
}

// COOPVK_TEST_SEED: the part of a sample so many places on; 0 where it is not set.
inline uint64_t testSeed() {
    const char* text = std::getenv("COOPVK_TEST_SEED");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

}  // namespace coopvk::test
