// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "numbers/format.hpp"

namespace coopvk::reference::numbers {

enum class Kind : uint8_t { finite, infinity, nan };

// A number of any format, without rounding: +-significand * 2^exponent. Zero has a sign.
struct Exact {
    Kind kind = Kind::finite;
    bool negative = false;
    // The magnitude is greater than significand * 2^exponent, by less than 2^exponent. Then bit 63
    // of the significand is set.
    bool more = false;
    int32_t exponent = 0;
    uint64_t significand = 0;

    bool zero() const { return kind == Kind::finite && significand == 0 && !more; }
};

enum class Rounding : uint8_t { nearestEven, towardZero, upward, downward };

// What numbers outside of the range of a format become.
enum class Overflow : uint8_t {
    special,   // infinity, or NaN where the format has only that; the largest number if it has
               // neither
    saturate,  // the number of the format that is closest, also for infinities
    wrap,      // integers: the low-order bits of the number in two's complement
};

Exact decode(Number number, uint64_t bits);

// Correctly rounded. A NaN becomes zero in formats without NaN. Formats that cannot represent zero
// or a sign (e8m0) get their smallest number for zero and NaN for negative numbers.
uint64_t encode(Number number, const Exact& value, Rounding rounding = Rounding::nearestEven,
                Overflow overflow = Overflow::special);

// Whether `value`, rounded, lies in the range of `number`. False for NaN and infinities that the
// format lacks.
bool representable(Number number, const Exact& value, Rounding rounding);

Exact fromDouble(double value);
double toDouble(const Exact& value);  // rounded to nearest even

// The formats of most shaders by the processor's conversions, which are exact or round to nearest
// even; all others by decode and encode.
inline double decodeDouble(Number number, uint64_t bits) {
    switch (number) {
        case Number::f16:
            return double(std::bit_cast<_Float16>(uint16_t(bits)));
        case Number::bf16:
            return double(std::bit_cast<float>(uint32_t(bits) << 16));
        case Number::f32:
            return double(std::bit_cast<float>(uint32_t(bits)));
        case Number::f64:
            return std::bit_cast<double>(bits);
        default:
            return toDouble(decode(number, bits));
    }
}

inline uint64_t encodeDouble(Number number, double value,
                             Rounding rounding = Rounding::nearestEven) {
    if (rounding == Rounding::nearestEven) {
        if (number == Number::f16) return std::bit_cast<uint16_t>(_Float16(value));
        if (number == Number::f32) return std::bit_cast<uint32_t>(float(value));
        if (number == Number::f64) return std::bit_cast<uint64_t>(value);
    }
    return encode(number, fromDouble(value), rounding);
}

}  // namespace coopvk::reference::numbers
