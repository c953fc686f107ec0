// SPDX-License-Identifier: Apache-2.0
//
// Rounds f16 to the numbers of an 8-bit float, without its bits in between.
#pragma once

#include "lowering/number.hpp"

namespace coopvk::rewrite {

// Whether roundedHalves() takes the format: f16 has more exponents, and there is no infinity. And
// whether f16 arithmetic rounds to nearest even.
bool canRoundHalves(const Module& module, const Number& number);

// Two f16, each rounded once, to nearest even, as two f16. What is beyond the largest number
// becomes NaN, or with `saturates` the largest number.
Id roundedHalves(Emitter& emit, const Number& number, Id pair, bool saturates);

}  // namespace coopvk::rewrite
