// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "system/hash.hpp"

namespace coopvk::layer {

// The application's original words and their name in logs.
struct ShaderWords {
    explicit ShaderWords(std::span<const uint32_t> source)
        : words(source.begin(), source.end()), hash(fnv1a(source)) {}

    std::vector<uint32_t> words;
    uint64_t hash;
};
using ShaderWordsRef = std::shared_ptr<const ShaderWords>;

}  // namespace coopvk::layer
