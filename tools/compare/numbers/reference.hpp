// SPDX-License-Identifier: Apache-2.0
//
// The third judge: what results may be by the words of the specifications, computed on the CPU
// with exact integers and with floats of more precision than any of the formats.
//
// What a float result may be is an interval. docs/compare.md tells where each comes from.
#pragma once

#include "compare/numbers/block.hpp"

namespace coopvk::compare {

struct Expected {
    uint64_t bits = 0;       // the exact result, rounded to nearest
    Real low = 0, high = 0;  // floats only: the freedom
    bool anything = false;   // undefined by the specification
};

// Whether a result is within its freedom.
bool allowed(Component type, const Expected& expected, uint64_t bits);
// How far a float result is from the exact one, as a share of the freedom (0 for none at all).
double shareOfFreedom(Component type, const Expected& expected, uint64_t bits);

// No freedom at all.
Expected exactly(Component type, uint64_t bits);
// The exact value or, if it cannot be represented, either neighbour.
Expected correctlyRounded(Component type, Real value);
// Correctly rounded after an error of `tolerance`.
Expected within(Component type, Real value, Real tolerance);

enum class Saturation { kNone, kAddition };

// A x B + C. Integers as SPV_KHR_cooperative_matrix has them; floats in any order, each step
// rounded in any direction in the result's precision or better. Of kExact inputs every step is
// exact, and so must be the result.
std::vector<Expected> multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c,
                                  Component result, Saturation saturation, Fill fill);

// Whether the freedom of a float sum of so many random terms is less than all of them together;
// else any result would do.
bool tells(Component result, uint64_t terms);

// A sum of products in that freedom.
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
