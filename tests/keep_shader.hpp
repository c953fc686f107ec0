// SPDX-License-Identifier: Apache-2.0
//
// Writes a test's shader to the folder that COOPVK_KEEP_SHADERS names, if it is set. In this way
// fuzzing gets its first inputs (scripts/fuzz --seeds).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <format>
#include <fstream>
#include <span>

namespace coopvk::test {

inline void keepShader(std::span<const uint32_t> words) {
    const char* folder = std::getenv("COOPVK_KEEP_SHADERS");
    if (folder == nullptr || words.empty()) return;
    uint64_t hash = 14695981039346656037u;
    for (uint32_t word : words) hash = (hash ^ word) * 1099511628211u;
    std::ofstream file(std::format("{}/{:016x}.spv", folder, hash), std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size_bytes()));
}

}  // namespace coopvk::test
