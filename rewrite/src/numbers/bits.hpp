// SPDX-License-Identifier: Apache-2.0
//
// Conversions between f32 and the bits of floats that the device does not have.
#pragma once

#include "lowering/number.hpp"

namespace coopvk::rewrite {

// `bits`: a scalar or vector of unsigned integers of number.bits bits. Returns f32 components,
// which have the very same values. Emits no arithmetic on f32 denormals, which devices may flush.
Id bitsToF32(Emitter& emit, const Number& number, Id bits, uint32_t components);

enum class Rounding {
    kNearestEven,
    kTowardZero,  // bfloat16 and f16 only
    kSaturated,   // to nearest even, but values beyond the largest number become that
};

// The other way, in 32-bit components. Rounds once; NaN stays NaN. Values that round to more than
// the largest number become infinity, or NaN if the format has none.
Id f32ToBits(Emitter& emit, const Number& number, Id f32, uint32_t components, Rounding rounding);

// The same for f16, in fewer instructions. They are arithmetic on f32, but its only results are
// exact or the numbers that f16 rounds to.
Id halfToF32(Emitter& emit, Id bits, uint32_t components);
Id f32ToHalf(Emitter& emit, Id f32, uint32_t components, Rounding rounding);

// A scalar f64 as the f32 that rounds to the same 8-bit float: toward zero, with the last bit set
// if that is inexact. Numbers that f32 lacks become zero or infinity.
Id f64ToOddF32(Emitter& emit, Id f64);

}  // namespace coopvk::rewrite
