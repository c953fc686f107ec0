// SPDX-License-Identifier: Apache-2.0
//
// Numbers in memory, by their formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "module.hpp"

namespace coopvk::check {

// Which numbers memory is filled with.
enum class Values {
    kSmall,    // integers from -4 to 4, also as floats: sums of their products are exact
    kSpecial,  // as kAny, but some are NaN, infinities, zeros of both signs, denormal numbers, the
               // smallest and the largest ones, and those beside boundaries of rounding
    kAny,  // floats with fractions, integers of up to 16 bits with any bits, larger ones below 256
};

class Random {
 public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // SplitMix64
    uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ull;
        uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
        return bits ^ (bits >> 31);
    }
    uint64_t below(uint64_t end) { return next() % end; }

 private:
    uint64_t state_;
};

// The bits of a number.
uint64_t randomNumber(const Format& format, Values values, Random& random);
// So many of Values::kSmall, of which each begins `stride` bytes behind the one before.
void writeSmallNumbers(std::byte* to, uint64_t count, uint64_t stride, const Format& format,
                       Random& random);
// The same, or a special float in its place.
uint64_t orSpecial(const Format& format, uint64_t bits, Random& random);
// The value of a float or an integer, rounded to a double.
double valueOf(const Format& format, uint64_t bits);
// "1.5 (0x3e00)".
std::string textOf(const Format& format, uint64_t bits);

uint64_t readBits(const std::byte* from, const Format& format);
void writeBits(std::byte* to, const Format& format, uint64_t bits);

}  // namespace coopvk::check
