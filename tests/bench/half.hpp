// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace coopvk::bench {

// The value of binary16 bits.
inline double halfValue(uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 0    ? std::ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa ? std::numeric_limits<double>::quiet_NaN()
                                                : std::numeric_limits<double>::infinity())
                                    : std::ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

// The bits of halves / 2, for halves from -2 to 2.
inline uint16_t halfBitsOfHalves(int halves) {
    constexpr uint16_t kBits[] = {0xbc00, 0xb800, 0x0000, 0x3800, 0x3c00};
    return kBits[halves + 2];
}

}  // namespace coopvk::bench
