// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the floating-point formats of matrices, on bits. They use integer arithmetic
// only, so shaders/convert_matrix.comp gives the same results on any device: the driver chooses
// neither a rounding mode, nor whether denormals are flushed, nor a NaN.
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

// To nearest, ties to even. A value that is too large becomes infinity, or NaN if the format has no
// infinity. A NaN becomes quiet and keeps its sign and the upper bits of its payload.
uint32_t narrow(FloatFormat format, uint32_t float32Bits);

}  // namespace coopvk::layer
