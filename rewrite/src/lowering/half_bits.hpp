// SPDX-License-Identifier: Apache-2.0
//
// Conversions between f32 and f16 by integers, in few instructions. They are arithmetic on f32,
// but its only results are exact or the numbers that f16 rounds to.
#pragma once

#include <optional>

#include "ir/control_flow.hpp"
#include "ir/emitter.hpp"

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

}  // namespace coopvk::rewrite
