// SPDX-License-Identifier: Apache-2.0
//
// OpFDot2MixAcc32VALVE (SPV_VALVE_mixed_float_dot_product) for drivers that do not know it:
// replaces it by core instructions with the same result.
#pragma once

#include "shader.hpp"

namespace coopvk::test {

// The order in which the two products and the accumulator are added, which the specification leaves
// open.
enum class DotOrder { kProductsFirst, kAccumulatorFirst };

// The module with each of these instructions replaced by conversions to f32, multiplications and
// additions, and how many there were.
struct DefinedDots {
    Words words;
    uint32_t count = 0;
};
DefinedDots withDotsDefined(const Words& words, DotOrder order);

}  // namespace coopvk::test
