// SPDX-License-Identifier: Apache-2.0
//
// Seeded random numbers: the same on every machine, unlike <random>'s distributions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace coopvk::compare {

class Rng {
 public:
    // A text in addition to the seed, so that cases do not depend on each other.
    Rng(uint64_t seed, std::string_view text) : state_(seed * 0x9e3779b97f4a7c15u) {
        uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        state_ += hash;
    }

    uint64_t next() {  // splitmix64
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    // From low to high, both included.
    int64_t range(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() % (static_cast<uint64_t>(high - low) + 1));
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    bool coin() { return next() >> 63; }
    std::vector<std::byte> bytes(size_t count) {
        std::vector<std::byte> result(count);
        for (std::byte& b : result) b = static_cast<std::byte>(next() >> 24);
        return result;
    }

 private:
    uint64_t state_;
};

}  // namespace coopvk::compare
