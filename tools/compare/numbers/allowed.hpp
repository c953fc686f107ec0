// SPDX-License-Identifier: Apache-2.0
//
// The results that the specifications allow: for integers one, for floats an interval.
// docs/developers/compare-cases.md explains each interval.
#pragma once

#include "compare/numbers/number.hpp"

namespace coopvk::compare {

struct Expected {
    uint64_t bits = 0;       // the exact result, rounded to nearest
    Real low = 0, high = 0;  // floats only: the freedom
};

// Whether a result is in its interval.
bool allowed(Component type, const Expected& expected, uint64_t bits);
// How far a float result is from the exact one, as a part of the allowed distance (0: exact).
double shareOfFreedom(Component type, const Expected& expected, uint64_t bits);

// Only the exact value.
Expected exactly(Component type, uint64_t bits);

// Whether the allowed difference of a float sum with this number of random terms is less than the
// sum of their magnitudes; if not, any result would be allowed.
bool tells(Component result, uint64_t terms);

}  // namespace coopvk::compare
