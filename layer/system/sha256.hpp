// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace coopvk::layer {

using Digest = std::array<uint8_t, 32>;

// SHA-256 (FIPS 180-4), for identifiers that applications keep on disk.
class Sha256 {
 public:
    Sha256& add(std::span<const std::byte> bytes);
    // With its length, so that two consecutive texts cannot be confused with another pair.
    Sha256& addText(std::string_view text);
    template <typename T>
    Sha256& addValue(const T& value) {
        return add(std::as_bytes(std::span<const T>(&value, 1)));
    }
    Digest finish();

 private:
    void block(const uint8_t* bytes);

    std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, 64> pending_ = {};
    uint64_t length_ = 0;
};

}  // namespace coopvk::layer
