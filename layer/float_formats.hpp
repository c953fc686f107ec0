// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the floating-point formats of matrices, on bits. Integer arithmetic only, so
// that shaders/convert_matrix.comp can do the very same on any device: no rounding mode, no
// flushing of denormals, no choice of NaN is left to a driver.
#pragma once

#include <cstdint>

namespace coopvk::layer {

struct FloatFormat {
    uint32_t exponentBits;
    uint32_t mantissaBits;
    bool hasInfinity;  // else all bits set is NaN, and the exponent's other values are finite
};

inline constexpr FloatFormat kHalf = {5, 10, true};
inline constexpr FloatFormat kE5M2 = {5, 2, true};
inline constexpr FloatFormat kE4M3 = {4, 3, false};

// Exact. A NaN keeps its sign and its payload.
uint32_t widen(FloatFormat format, uint32_t bits);

// To nearest, ties to even. What is too large becomes infinity, or NaN where there is none. A NaN
// becomes quiet and keeps its sign and the upper bits of its payload.
uint32_t narrow(FloatFormat format, uint32_t float32Bits);

}  // namespace coopvk::layer
