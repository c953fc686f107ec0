// SPDX-License-Identifier: Apache-2.0
//
// A set of lanes.
#pragma once

#include <bit>
#include <cstdint>

namespace coopvk::reference {

struct LaneMask {
    uint64_t low = 0, high = 0;

    static constexpr LaneMask firstLanes(uint32_t count) {
        if (count >= 128) return {~uint64_t{0}, ~uint64_t{0}};
        if (count >= 64) return {~uint64_t{0}, (uint64_t{1} << (count - 64)) - 1};
        return {(uint64_t{1} << count) - 1, 0};
    }
    static constexpr LaneMask one(uint32_t lane) {
        LaneMask mask;
        mask.set(lane);
        return mask;
    }
    constexpr bool any() const { return (low | high) != 0; }
    constexpr bool none() const { return !any(); }
    constexpr bool test(uint32_t lane) const {
        return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0;
    }
    constexpr void set(uint32_t lane) { (lane < 64 ? low : high) |= uint64_t{1} << (lane & 63); }
    constexpr void clear(uint32_t lane) {
        (lane < 64 ? low : high) &= ~(uint64_t{1} << (lane & 63));
    }
    constexpr void assign(uint32_t lane, bool value) { value ? set(lane) : clear(lane); }
    // Bits 32 * index to 32 * index + 31.
    constexpr uint64_t word(uint32_t index) const {
        return ((index < 2 ? low : high) >> (index % 2 * 32)) & 0xFFFFFFFFu;
    }
    uint32_t count() const {
        return static_cast<uint32_t>(std::popcount(low) + std::popcount(high));
    }
    // Of a mask that is not empty.
    uint32_t first() const {
        return static_cast<uint32_t>(low != 0 ? std::countr_zero(low)
                                              : 64 + std::countr_zero(high));
    }
    uint32_t last() const {
        return static_cast<uint32_t>(high != 0 ? 127 - std::countl_zero(high)
                                               : 63 - std::countl_zero(low));
    }
    template <typename Function>
    void forEach(Function&& function) const {
        for (uint64_t rest = low; rest != 0; rest &= rest - 1)
            function(static_cast<uint32_t>(std::countr_zero(rest)));
        for (uint64_t rest = high; rest != 0; rest &= rest - 1)
            function(static_cast<uint32_t>(64 + std::countr_zero(rest)));
    }
    constexpr bool operator==(const LaneMask&) const = default;
    constexpr LaneMask operator&(LaneMask other) const {
        return {low & other.low, high & other.high};
    }
    constexpr LaneMask operator|(LaneMask other) const {
        return {low | other.low, high | other.high};
    }
    constexpr LaneMask operator~() const { return {~low, ~high}; }
    constexpr LaneMask& operator&=(LaneMask other) { return *this = *this & other; }
    constexpr LaneMask& operator|=(LaneMask other) { return *this = *this | other; }
};

}  // namespace coopvk::reference
