// SPDX-License-Identifier: Apache-2.0
//
// Instructions on numbers, as a device may compute them: Vulkan, "Precision of Individual
// Operations". Each call takes a choice of what that table permits.
#pragma once

#include <span>

#include "sums.hpp"

namespace coopvk::oracle {

enum class Operation {
    kLoad,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kFma,
    kSquareRoot,
    kInverseSquareRoot,
    kNegate,
    kAbsolute,
    kLeast,
    kMost,
    kConvert,
    kDot,      // a0, a1, ..., b0, b1, ...
    kProduct,  // the same, and an addend
};

const char* opcodeOf(Operation operation);

// The result rounded to nearest even, if the operation rounds once; of the others the nearest
// number.
Real nearest(const Format& format, Operation operation, std::span<const Real> operands);
// One of the numbers that the table permits.
Real anyOf(const Format& format, Operation operation, std::span<const Real> operands,
           Random& random);
// The terms of a sum of products.
Terms termsOf(std::span<const Real> operands);
// Whether the table permits no more than nearest().
bool isCorrectlyRounded(Operation operation);

}  // namespace coopvk::oracle
