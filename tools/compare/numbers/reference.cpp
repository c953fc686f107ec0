// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/reference.hpp"

#include <cmath>

namespace coopvk::compare {
namespace {

uint64_t integerElement(const Matrix& a, const Matrix& b, const Matrix& c, uint32_t row,
                        uint32_t column, Component result, Saturation saturation) {
    const uint32_t bits = info(result).bits;
    uint64_t sum = 0;  // modulo 2^64: its low bits are those of the exact sum
    for (uint32_t k = 0; k < a.columns; ++k) {
        sum += static_cast<uint64_t>(toInteger(a.component, a.at(row, k))) *
               static_cast<uint64_t>(toInteger(b.component, b.at(k, column)));
    }
    const Wide addend = toInteger(c.component, c.at(row, column));
    if (saturation == Saturation::kNone) return maskBits(sum + static_cast<uint64_t>(addend), bits);
    Wide total = toInteger(result, sum) + addend;
    total = total < lowest(result) ? lowest(result) : total;
    total = total > highest(result) ? highest(result) : total;
    return maskBits(static_cast<uint64_t>(total), bits);
}

}  // namespace

bool allowed(Component type, const Expected& expected, uint64_t bits) {
    if (expected.anything) return true;
    if (!info(type).isFloat()) return bits == expected.bits;
    if (isNan(type, expected.bits) || isNan(type, bits))
        return isNan(type, expected.bits) && isNan(type, bits);
    const Real value = decode(type, bits);
    return value >= expected.low && value <= expected.high;
}

double shareOfFreedom(Component type, const Expected& expected, uint64_t bits) {
    if (!info(type).isFloat() || expected.anything || isNan(type, bits) ||
        isNan(type, expected.bits))
        return 0;
    const Real value = decode(type, bits), exact = decode(type, expected.bits);
    if (value == exact) return 0;
    const Real room = value < exact ? exact - expected.low : expected.high - exact;
    if (room <= 0) return HUGE_VAL;
    return static_cast<double>(std::fabs(value - exact) / room);
}

Expected exactly(Component type, uint64_t bits) {
    const Real value = info(type).isFloat() ? decode(type, bits) : 0;
    return {bits, value, value, false};
}

Expected correctlyRounded(Component type, Real value) { return within(type, value, 0); }

Expected within(Component type, Real value, Real tolerance) {
    const uint64_t bits = encode(type, value);
    if (isNan(type, bits)) return exactly(type, bits);
    return {bits, roundDown(type, value - tolerance), roundUp(type, value + tolerance), false};
}

Expected FloatSum::expected(Fill fill) const {
    if (fill == Fill::kExact) return exactly(result_, encode(result_, sum_));
    // Of n terms, each is rounded once as a product and at most n - 1 times in sums. A rounding in
    // any direction costs up to one epsilon; denormal results may be flushed at each step.
    const Real steps = terms_;
    const Real error = steps * epsilon(result_) * magnitude_;
    return within(result_, sum_, error + steps * smallestNormal(result_));
}

bool tells(Component result, uint64_t terms) {
    return !info(result).isFloat() || static_cast<Real>(terms) * epsilon(result) < 1;
}

std::vector<Expected> multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c,
                                  Component result, Saturation saturation, Fill fill) {
    std::vector<Expected> expected;
    for (uint32_t row = 0; row < c.rows; ++row) {
        for (uint32_t column = 0; column < c.columns; ++column) {
            if (!info(result).isFloat()) {
                expected.push_back(
                    exactly(result, integerElement(a, b, c, row, column, result, saturation)));
                continue;
            }
            FloatSum sum(result);
            for (uint32_t k = 0; k < a.columns; ++k)
                sum.add(decode(a.component, a.at(row, k)) * decode(b.component, b.at(k, column)));
            sum.add(decode(c.component, c.at(row, column)));
            expected.push_back(sum.expected(fill));
        }
    }
    return expected;
}

Expected converted(Component from, Component to, uint64_t bits, bool saturates) {
    const ComponentInfo& source = info(from);
    const ComponentInfo& target = info(to);
    if (saturates) {
        const Real value =
            source.isFloat() ? decode(from, bits) : static_cast<Real>(toInteger(from, bits));
        if (std::fabs(value) > largest(to))
            return exactly(to, encode(to, std::copysign(largest(to), value)));
    }
    if (source.isFloat() && target.isFloat()) return correctlyRounded(to, decode(from, bits));
    if (source.isFloat()) {
        const auto value = static_cast<Wide>(std::trunc(decode(from, bits)));
        return exactly(to, maskBits(static_cast<uint64_t>(value), target.bits));
    }
    const Wide value = toInteger(from, bits);
    if (target.isFloat()) return correctlyRounded(to, static_cast<Real>(value));
    return exactly(to, maskBits(static_cast<uint64_t>(value), target.bits));
}

}  // namespace coopvk::compare
