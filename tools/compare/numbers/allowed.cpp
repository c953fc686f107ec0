// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/allowed.hpp"

#include <cmath>

namespace coopvk::compare {
bool allowed(Component type, const Expected& expected, uint64_t bits) {
    if (!info(type).isFloat()) return bits == expected.bits;
    if (isNan(type, expected.bits) || isNan(type, bits))
        return isNan(type, expected.bits) && isNan(type, bits);
    const Real value = decode(type, bits);
    return value >= expected.low && value <= expected.high;
}

double shareOfFreedom(Component type, const Expected& expected, uint64_t bits) {
    if (!info(type).isFloat() || isNan(type, bits) || isNan(type, expected.bits)) return 0;
    const Real value = decode(type, bits), exact = decode(type, expected.bits);
    if (value == exact) return 0;
    const Real room = value < exact ? exact - expected.low : expected.high - exact;
    if (room <= 0) return HUGE_VAL;
    return static_cast<double>(std::fabs(value - exact) / room);
}

Expected exactly(Component type, uint64_t bits) {
    const Real value = info(type).isFloat() ? decode(type, bits) : 0;
    return {bits, value, value};
}

bool tells(Component result, uint64_t terms) {
    return !info(result).isFloat() || static_cast<Real>(terms) * epsilon(result) < 1;
}

}  // namespace coopvk::compare
