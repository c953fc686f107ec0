// SPDX-License-Identifier: Apache-2.0
//
// Sums of products, as the texts permit them: "The order of the operations is
// implementation-dependent. The internal precision of floating-point operations is defined by the
// client API" (SPV_KHR_cooperative_matrix), and Vulkan defines no more than "an
// implementation-dependent order and internal precision". Here that is at least the precision of
// the result; a partial sum beyond the range of its format is infinite.
#pragma once

#include <utility>
#include <vector>

#include "device.hpp"

namespace coopvk::oracle {

struct Terms {
    std::vector<std::pair<Real, Real>> products;
    std::vector<Real> addends;

    size_t count() const { return products.size() + addends.size(); }
};

Real exactSum(const Terms& terms);

// What any order and precision may give; a little more.
struct Permitted {
    Real low, high;  // of finite results
    bool positiveInfinity = false, negativeInfinity = false, nan = false, isFinite = false;

    bool contains(const Real& value) const;
};
Permitted permitted(const Format& format, const Terms& terms);

// A sum in an order, with roundings and a precision by `random`.
Real sampled(const Format& format, const Terms& terms, Random& random);

// What many orders give, each step rounded up, or each down: a search for the lowest and the
// highest sum.
reference::Interval observed(const Format& format, const Terms& terms, Random& random);

bool contains(const reference::Interval& interval, const Real& value);
std::string textOf(const reference::Interval& interval);

}  // namespace coopvk::oracle
