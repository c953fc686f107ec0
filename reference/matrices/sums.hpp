// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices {

// Vulkan, "Precision of SPIR-V Instructions": products are computed in an implementation-dependent
// order and internal precision.
enum class SumOrder : uint8_t {
    plain,        // along K in binary32 (or binary64), then the addend; rounded to the result
    shuffled,     // the same with all addends in an order by the seed
    exact,        // without rounding, and rounded once at the end
    adversarial,  // from the end of K; each product and sum is rounded to the result's format
};

struct SumRule {
    Number result = Number::f32;
    SumOrder order = SumOrder::plain;
    uint64_t seed = 0;
    bool saturate = false;  // integers: SaturatingAccumulation
};

// c + the sum of a[k] * b[k], of floating-point numbers.
uint64_t floatSum(std::span<const double> a, std::span<const double> b, double c,
                  const SumRule& rule);

// An integer, extended from its format to 64 bits.
struct Integer {
    uint64_t bits = 0;
    bool isSigned = false;
};
Integer extend(Number number, uint64_t bits);

// The same of integers: SPV_KHR_cooperative_matrix, OpCooperativeMatrixMulAddKHR. Without
// saturation the low-order bits of the correct result; with it the sum of products must not
// overflow (else the element is undefined) and the addition of c saturates. a, b: of one signedness
// each.
Element integerSum(std::span<const Integer> a, std::span<const Integer> b, Integer c,
                   const SumRule& rule);

}  // namespace coopvk::reference::matrices
