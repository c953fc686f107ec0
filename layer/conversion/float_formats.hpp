// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the floating-point formats of matrices, on bits. They use integer arithmetic
// only, so shaders/convert_matrix.comp gives the same results on any device: the driver chooses
// neither a rounding mode, nor whether denormals are flushed, nor a NaN.
#pragma once

#include "coopvk/device.hpp"

namespace coopvk::layer {

using rewrite::ComponentFormat;

inline constexpr ComponentFormat kFloat32 = {32, 8, 23, 127, true};

// For floats of at most 16 bits, with fewer bits of exponent than float32.

// Exact. A NaN keeps its sign and its payload.
uint32_t widen(const ComponentFormat& format, uint32_t bits);

// To nearest, ties to even. A value that is too large becomes infinity, or NaN if the format has no
// infinity. A NaN becomes quiet and keeps its sign and the upper bits of its payload.
uint32_t narrow(const ComponentFormat& format, uint32_t float32Bits);

}  // namespace coopvk::layer
