// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace coopvk::reference {

// A set of lanes: a bit for each.
struct LaneMask {
    __extension__ using Bits = unsigned __int128;
    Bits bits = 0;

    static constexpr LaneMask firstLanes(uint32_t count) {
        return {count >= 128 ? ~Bits{0} : (Bits{1} << count) - 1};
    }
    static constexpr LaneMask one(uint32_t lane) { return {Bits{1} << lane}; }
    constexpr bool any() const { return bits != 0; }
    constexpr bool none() const { return bits == 0; }
    constexpr bool test(uint32_t lane) const { return (bits >> lane & 1) != 0; }
    constexpr void set(uint32_t lane) { bits |= Bits{1} << lane; }
    constexpr void clear(uint32_t lane) { bits &= ~(Bits{1} << lane); }
    constexpr void assign(uint32_t lane, bool value) { value ? set(lane) : clear(lane); }
    constexpr uint64_t low() const { return uint64_t(bits); }
    constexpr uint64_t high() const { return uint64_t(bits >> 64); }
    // Bits 32 * index to 32 * index + 31.
    constexpr uint64_t word(uint32_t index) const { return uint32_t(bits >> index * 32); }
    uint32_t count() const { return uint32_t(std::popcount(low()) + std::popcount(high())); }
    // Of a mask that is not empty.
    uint32_t first() const {
        return uint32_t(low() != 0 ? std::countr_zero(low()) : 64 + std::countr_zero(high()));
    }
    uint32_t last() const {
        return 127 -
               uint32_t(high() != 0 ? std::countl_zero(high()) : 64 + std::countl_zero(low()));
    }
    template <typename Function>
    void forEach(Function&& function) const {
        for (uint64_t rest = low(); rest != 0; rest &= rest - 1)
            function(uint32_t(std::countr_zero(rest)));
        for (uint64_t rest = high(); rest != 0; rest &= rest - 1)
            function(uint32_t(64 + std::countr_zero(rest)));
    }
    constexpr bool operator==(const LaneMask&) const = default;
    constexpr LaneMask operator&(LaneMask other) const { return {bits & other.bits}; }
    constexpr LaneMask operator|(LaneMask other) const { return {bits | other.bits}; }
    constexpr LaneMask operator~() const { return {~bits}; }
    constexpr LaneMask& operator&=(LaneMask other) { return *this = *this & other; }
    constexpr LaneMask& operator|=(LaneMask other) { return *this = *this | other; }
};

}  // namespace coopvk::reference
