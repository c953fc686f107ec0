// SPDX-License-Identifier: Apache-2.0
//
// Rounds f16 to the numbers of an 8-bit float, without f32 in between.
#pragma once

#include "lowering/number.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

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
