// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>

namespace coopvk::reference::matrices {

// Spreads the bits of a seed: the finaliser of SplitMix64.
constexpr uint64_t mix(uint64_t seed) {
    seed += 0x9E3779B97F4A7C15;
    seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9;
    seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EB;
    return seed ^ (seed >> 31);
}

// A permutation of [0, count) that is computed, not stored: i -> (i * factor + offset) mod count.
struct Permutation {
    uint64_t count = 1, factor = 1, offset = 0;

    static constexpr Permutation bySeed(uint64_t count, uint64_t seed) {
        Permutation p{count, 1 + mix(seed) % count, mix(seed + 1) % count};
        while (std::gcd(p.factor, count) != 1) p.factor = 1 + p.factor % count;
        return p;
    }
    constexpr uint64_t operator()(uint64_t i) const { return (i * factor + offset) % count; }
};

}  // namespace coopvk::reference::matrices
