// SPDX-License-Identifier: Apache-2.0
#include "matrices/sums.hpp"

#include <algorithm>

#include "matrices/random.hpp"

namespace coopvk::reference::matrices {
namespace {

using numbers::decodeDouble;
using numbers::encodeDouble;

using numbers::Wide;

double single(double value) { return double(float(value)); }

// Addends by number: the products, then c.
template <typename Round>
double inOrder(std::span<const double> a, std::span<const double> b, double c,
               const Permutation& order, Round round) {
    double sum = 0;
    for (uint64_t i = 0; i <= a.size(); ++i) {
        const uint64_t k = order(i);
        const double addend = k < a.size() ? round(a[k] * b[k]) : c;
        sum = i == 0 ? addend : round(sum + addend);
    }
    return sum;
}

double plainSum(std::span<const double> a, std::span<const double> b, double c, bool wide) {
    double sum = 0;
    if (wide) {
        for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
        return sum + c;
    }
    for (size_t k = 0; k < a.size(); ++k) sum = single(sum + a[k] * b[k]);
    return single(sum + c);
}

uint64_t exactSum(std::span<const double> a, std::span<const double> b, double c, Number result) {
    numbers::ExactSum sum;
    for (size_t k = 0; k < a.size(); ++k) {
        sum.addProduct(numbers::fromDouble(a[k]), numbers::fromDouble(b[k]));
    }
    sum.add(numbers::fromDouble(c));
    return numbers::encode(result, sum.value());
}

Wide widened(const Integer& i) { return i.isSigned ? Wide(int64_t(i.bits)) : Wide(i.bits); }

Wide limit(Number number, bool lowest) {
    const numbers::Format& f = numbers::format(number);
    if (!f.isSigned()) return lowest ? 0 : Wide(f.mask());
    return lowest ? -Wide(f.mask() >> 1) - 1 : Wide(f.mask() >> 1);
}

Element saturatedSum(std::span<const Integer> a, std::span<const Integer> b, Integer c,
                     Number result) {
    Wide sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += widened(a[k]) * widened(b[k]);
    const Wide lowest = limit(result, true);
    const Wide highest = limit(result, false);
    const bool defined = sum >= lowest && sum <= highest;
    sum = std::clamp(sum + widened(c), lowest, highest);
    return {uint64_t(sum) & numbers::format(result).mask(), defined};
}

}  // namespace

uint64_t floatSum(std::span<const double> a, std::span<const double> b, double c,
                  const SumRule& rule) {
    const bool wide = rule.result == Number::f64;
    const auto internal = [&](double v) { return wide ? v : single(v); };
    const auto narrow = [&](double v) {
        return decodeDouble(rule.result, encodeDouble(rule.result, v));
    };
    const uint64_t count = a.size() + 1;
    switch (rule.order) {
        case SumOrder::plain:
            return encodeDouble(rule.result, plainSum(a, b, c, wide));
        case SumOrder::shuffled: {
            const Permutation order = Permutation::bySeed(count, rule.seed);
            return encodeDouble(rule.result, inOrder(a, b, c, order, internal));
        }
        case SumOrder::exact:
            return exactSum(a, b, c, rule.result);
        case SumOrder::adversarial: {
            const Permutation fromTheEnd{count, count - 1, count - 1};
            return encodeDouble(rule.result, inOrder(a, b, c, fromTheEnd, narrow));
        }
    }
    return 0;
}

Integer extend(Number number, uint64_t bits) {
    const numbers::Format& f = numbers::format(number);
    return {numbers::extend(f, bits), f.isSigned()};
}

Element integerSum(std::span<const Integer> a, std::span<const Integer> b, Integer c,
                   const SumRule& rule) {
    if (rule.saturate) return saturatedSum(a, b, c, rule.result);
    uint64_t sum = c.bits;
    for (size_t k = 0; k < a.size(); ++k) sum += a[k].bits * b[k].bits;
    return {sum & numbers::format(rule.result).mask(), true};
}

}  // namespace coopvk::reference::matrices
