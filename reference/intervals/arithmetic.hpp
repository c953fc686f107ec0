// SPDX-License-Identifier: Apache-2.0
//
// Operations on sets of floats: each gives all results of an operation on members of its operands,
// and few others.
#pragma once

#include <functional>

#include "coopvk_reference/intervals.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::intervals {

double largestOf(numbers::Number number);

inline bool hasSpecial(const Interval& a) {
    return a.positiveInfinity || a.negativeInfinity || a.nan;
}

Interval add(const Interval& a, const Interval& b);
Interval subtract(const Interval& a, const Interval& b);
Interval multiply(const Interval& a, const Interval& b);
Interval divide(const Interval& a, const Interval& b);
Interval negate(const Interval& a);
// By an operation that falls or rises throughout, or turns at zero, and is exact, or is off by a
// little.
using Function = double (*)(double);
Interval monotone(const Interval& a, Function function);
// Of an operation that rises with each operand, as minima do.
using Function2 = double (*)(double, double);
Interval monotone(const Interval& a, const Interval& b, Function2 function);

// Wider by so much at both ends.
Interval widened(const Interval& a, const std::function<double(double)>& by);
// The numbers of the format that are in the set, with its infinities.
Interval numbersIn(const Interval& a, numbers::Number number);
// Each number rounded to nearest, as the format has it.
Interval rounded(const Interval& a, numbers::Number number);
// The same, or not rounded, as a step of an instruction that does more.
Interval step(const Interval& exact, numbers::Number number);
double unitInLastPlace(numbers::Number number, double value);

}  // namespace coopvk::reference::intervals
