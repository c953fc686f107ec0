// SPDX-License-Identifier: Apache-2.0
//
// What "Precision of core SPIR-V instructions" of Vulkan permits of single operations.
#pragma once

#include <cmath>

#include "component.hpp"
#include "intervals/elements.hpp"

namespace coopvk::test {

// Zero in place of a denormal.
inline double flush(Component type, double value) {
    const double normal = std::ldexp(1, 1 - floatFormat(type).bias);
    return std::fabs(value) < normal ? std::copysign(0.0, value) : value;
}

// The error of a division is bounded for divisors of this range only.
inline bool divisionIsDefined(Component type, double divisor) {
    const double limit = type == Component::kF16   ? 0x1p14
                         : type == Component::kF32 ? 0x1p126
                                                   : 0x1p1022;
    return std::fabs(divisor) >= 1 / limit && std::fabs(divisor) <= limit;
}

// Rounded to the type.
inline reference::Interval permittedQuotient(Component type, double x, double y) {
    using namespace reference;
    const numbers::Number number = *numbers::byVulkanType(info(type).vulkan);
    return intervals::rounded(intervals::quotient(Interval::of(x), Interval::of(y), number),
                              number);
}

}  // namespace coopvk::test
