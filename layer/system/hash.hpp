// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace coopvk::layer {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325u;

// FNV-1a. Names shaders in logs and dumps and finds candidates in caches; never decides equality.
inline uint64_t fnv1a(std::span<const std::byte> bytes, uint64_t hash = kFnvStart) {
    for (std::byte byte : bytes) {
        hash ^= static_cast<uint64_t>(byte);
        hash *= 0x100000001b3u;
    }
    return hash;
}

inline uint64_t fnv1a(std::span<const uint32_t> words, uint64_t hash = kFnvStart) {
    return fnv1a(std::as_bytes(words), hash);
}

// 16 hexadecimal digits.
inline std::string hexName(uint64_t hash) {
    std::string text(16, '0');
    for (size_t i = 16; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15u];
    return text;
}

}  // namespace coopvk::layer
