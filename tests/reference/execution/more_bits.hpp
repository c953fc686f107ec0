// SPDX-License-Identifier: Apache-2.0
//
// Floating-point numbers in more bits than the formats under test, and rounded to these once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace coopvk::reference::test {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

struct Format {
    uint32_t width, mantissa;
    int32_t bias;
};
inline constexpr Format kFormats[] = {{16, 10, 15}, {32, 23, 127}, {64, 52, 1023}};

struct Mode {
    bool towardZero = false, flushes = false;
};

// Finite numbers that are not too large for the format.
inline uint64_t rounded(Quad value, const Format& f, Mode mode) {
    const bool negative = value < 0 || (value == 0 && std::signbit(double(value)));
    const uint64_t sign = uint64_t{negative} << (f.width - 1);
    if (negative) value = -value;
    if (value == 0) return sign;
    int32_t exponent = 0;
    for (; value >= 2; value /= 2) ++exponent;
    for (; value < 1 && exponent > 1 - f.bias; value *= 2) --exponent;
    for (uint32_t bit = 0; bit < f.mantissa; ++bit) value *= 2;
    const auto whole = uint64_t(value);
    const Quad rest = value - Quad(whole);
    const bool up = !mode.towardZero && (rest > 0.5 || (rest == 0.5 && whole % 2 != 0));
    const uint64_t count = whole + up, hidden = uint64_t{1} << f.mantissa;
    if (count < hidden) return mode.flushes ? sign : sign | count;
    return sign | ((uint64_t(exponent + f.bias) << f.mantissa) + (count - hidden));
}

inline Quad valueOf(uint64_t bits, const Format& f) {
    const uint64_t field = bits >> f.mantissa & ((uint64_t{1} << (f.width - 1 - f.mantissa)) - 1);
    Quad value(bits & ((uint64_t{1} << f.mantissa) - 1));
    for (uint32_t bit = 0; bit < f.mantissa; ++bit) value /= 2;
    value += field != 0;
    int32_t exponent = std::max(int32_t(field), 1) - f.bias;
    for (; exponent > 0; --exponent) value *= 2;
    for (; exponent < 0; ++exponent) value /= 2;
    return bits >> (f.width - 1) & 1 ? -value : value;
}

// On the side of the exact sum, so that it rounds as that does.
inline Quad sumOf(Quad a, Quad b) {
    const Quad sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
    const Quad least = (sum < 0 ? -sum : sum) * Quad(0x1p-110);
    return lost == 0 ? sum : lost > 0 ? sum + least : sum - least;
}

}  // namespace coopvk::reference::test
