// SPDX-License-Identifier: Apache-2.0
//
// The values of floats' bits, for constants and for code that handles bits.
#pragma once

#include "lowering/number.hpp"

namespace coopvk::rewrite {

// NaN keeps its sign and nothing else.
double valueOf(const Number& number, uint64_t bits);
// The nearest number, rounded to even; NaN stays NaN. Values beyond the largest one become
// infinity, or NaN if the format has none; with `saturates` the largest one.
uint64_t bitsOf(const Number& number, double value, bool saturates);

// For formats of up to 32 bits. All bits below the sign.
uint32_t magnitudeMask(const Number& number);
// What is beyond the largest finite number.
uint32_t overflowOf(const Number& number, bool saturates);
uint32_t quietNanOf(const Number& number);

}  // namespace coopvk::rewrite
