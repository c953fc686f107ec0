// SPDX-License-Identifier: Apache-2.0
//
// The reference: the results that the specifications allow, computed on the CPU with exact integers
// and with floats of more precision than any of the formats.
//
// The allowed results of a float are an interval. docs/compare.md explains each interval.
#pragma once

#include "compare/numbers/block.hpp"

namespace coopvk::compare {

struct Expected {
    uint64_t bits = 0;       // the exact result, rounded to nearest
    Real low = 0, high = 0;  // floats only: the freedom
    bool anything = false;   // undefined by the specification
};

// Whether a result is in its interval.
bool allowed(Component type, const Expected& expected, uint64_t bits);
// How far a float result is from the exact one, as a part of the allowed distance (0: exact).
double shareOfFreedom(Component type, const Expected& expected, uint64_t bits);

// Only the exact value.
Expected exactly(Component type, uint64_t bits);
// The exact value or, if it cannot be represented, either neighbour.
Expected correctlyRounded(Component type, Real value);
// Correctly rounded after an error of `tolerance`.
Expected within(Component type, Real value, Real tolerance);

enum class Saturation { kNone, kAddition };

// A x B + C. Integers as SPV_KHR_cooperative_matrix defines them; floats in any order, with each
// step rounded in any direction to the result's precision or better. With kExact inputs every step
// is exact, so the result must be exact.
std::vector<Expected> multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c,
                                  Component result, Saturation saturation, Fill fill);

// Whether the allowed difference of a float sum with this number of random terms is less than the
// sum of their magnitudes; if not, any result would be allowed.
bool tells(Component result, uint64_t terms);

// A sum of products with that interval.
class FloatSum {
 public:
    explicit FloatSum(Component result) : result_(result) {}
    void add(Real term) {
        sum_ += term;
        magnitude_ += term < 0 ? -term : term;
        ++terms_;
    }
    Expected expected(Fill fill) const;

 private:
    Component result_;
    Real sum_ = 0, magnitude_ = 0;
    uint32_t terms_ = 0;
};

// One component by OpFConvert, OpConvertFToS, OpSConvert and so on; with
// SaturatedToLargestFloat8NormalConversionEXT if it saturates.
Expected converted(Component from, Component to, uint64_t bits, bool saturates = false);

}  // namespace coopvk::compare
