// SPDX-License-Identifier: Apache-2.0
//
// Conversions between f32 and f16 by integers, in few instructions. They are arithmetic on f32,
// but its only results are exact or the numbers that f16 rounds to.
#pragma once

#include <optional>

#include "ir/control_flow.hpp"
#include "ir/emitter.hpp"
#include "lowering/number.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

enum class Rounding {
    kNearestEven,
    kTowardZero,  // bfloat16 and f16 only
    kToLargest,   // to nearest even, but values beyond the largest number become that
};

// `bits`: a scalar or vector of unsigned integers of 16 bits.
Id halfToF32(Emitter& emit, Id bits, uint32_t components);
// In 32-bit components.
Id f32ToHalf(Emitter& emit, Id f32, uint32_t components, Rounding rounding);

// A new function of f32 that gives f16: scalars, or vectors of so many components. The device has
// integers of 16 bits.
Id halfFunction(TypeTable& types, FunctionList& functions, uint32_t components, Rounding rounding);

// How the module's entry point rounds to f16; nullopt if halfFunction() cannot: it keeps denormals,
// and adds f32 to the nearest.
std::optional<Rounding> halfRounding(const Module& module);

// Rounds f16 to the numbers of an 8-bit float, without f32 in between.

// Whether roundedHalves() takes the format: f16 has more exponents, and there is no infinity. And
// whether f16 arithmetic rounds to nearest even.
bool canRoundHalves(const Module& module, const Number& number);

// Two f16, each rounded once, to nearest even, as two f16. What is beyond the largest number
// becomes NaN, or with `saturates` the largest number.
Id roundedHalves(Emitter& emit, const Number& number, Id pair, bool saturates);

// The same as the bits of the format: bytes 0 and 2 of a u32. The others are zero.
Id roundedBytes(Emitter& emit, const Number& number, Id pair, bool saturates);

// Whether arithmetic of two f16 at once is fast, so that this is shorter than by f32.
inline bool roundsHalvesFast(const DevicePlan& device) {
    return !device.hasSameNumerics && (device.sharesScalars || device.forbidsContraction) &&
           device.packsHalves;
}

}  // namespace coopvk::rewrite
