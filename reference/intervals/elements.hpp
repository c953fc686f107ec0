// SPDX-License-Identifier: Apache-2.0
//
// Functions that formulas of others are made of, with the errors of Vulkan's "Precision of
// Individual Operations". What they give is not rounded to the format.
#pragma once

#include "intervals/arithmetic.hpp"

namespace coopvk::reference::intervals {

// After an error of so many units in the last place.
Interval within(double units, const Interval& exact, numbers::Number number);
Interval quotient(const Interval& a, const Interval& b, numbers::Number number);
Interval inverseSqrt(const Interval& a, numbers::Number number);
Interval squareRoot(const Interval& a, numbers::Number number);

// Steps of a formula.
Interval sum(const Interval& a, const Interval& b, numbers::Number number);
Interval difference(const Interval& a, const Interval& b, numbers::Number number);
Interval product(const Interval& a, const Interval& b, numbers::Number number);

}  // namespace coopvk::reference::intervals
