// SPDX-License-Identifier: Apache-2.0
#include "intervals/arithmetic.hpp"

namespace coopvk::reference::intervals {
namespace {

// Numbers at which an operation on the set has its extremes, and those that are not finite.
std::vector<double> extremesOf(const Interval& a) {
    std::vector<double> members;
    if (a.hasFinite()) members = {a.low, a.high};
    if (a.low < 0 && a.high > 0) members.push_back(0);
    if (a.positiveInfinity) members.push_back(HUGE_VAL);
    if (a.negativeInfinity) members.push_back(-HUGE_VAL);
    if (a.nan) members.push_back(NAN);
    return members;
}

// Of numbers without bounds: where an end gives an infinity, the others may give anything.
Interval withoutBounds(const Interval& result, bool hasBounds) {
    const bool isInfinite = result.positiveInfinity || result.negativeInfinity;
    return hasBounds || !isInfinite ? result : Interval::all();
}
bool hasBounds(const Interval& a) {
    return !a.hasFinite() || (a.low > -HUGE_VAL && a.high < HUGE_VAL);
}

// Doubles are rounded: the next ones are members, too.
void addNear(Interval& result, double value, bool isExact = false) {
    result.add(value);
    if (!std::isfinite(value) || isExact) return;
    result.low = std::min(result.low, std::nextafter(value, -HUGE_VAL));
    result.high = std::max(result.high, std::nextafter(value, HUGE_VAL));
}

// `isExact`: whether the double that the function gives for two operands is exact.
using IsExact = bool (*)(double x, double y, double result);
bool isNever(double, double, double) { return false; }

Interval combined(const Interval& a, const Interval& b, Function2 function,
                  IsExact isExact = isNever) {
    Interval result;
    for (const double x : extremesOf(a))
        for (const double y : extremesOf(b)) {
            const double of = function(x, y);
            addNear(result, of, isExact(x, y, of));
        }
    return withoutBounds(result, hasBounds(a) && hasBounds(b));
}

// By Knuth: what rounding took from a sum.
bool isExactSum(double x, double y, double sum) {
    const double second = sum - x, first = sum - second;
    return (x - first) + (y - second) == 0;
}
// What rounding takes from a product may be too small for a double.
bool isExactProduct(double x, double y, double product) {
    const bool mayVanish = std::abs(product) < 0x1p-900 && x != 0 && y != 0;
    return !mayVanish && std::fma(x, y, -product) == 0;
}

constexpr double kMost = 0x1.fffffffffffffp1023;

}  // namespace

double largestOf(numbers::Number number) {
    return numbers::decodeDouble(
        number, numbers::encode(number, {numbers::Kind::infinity, false, false, 0, 0},
                                numbers::Rounding::nearestEven, numbers::Overflow::saturate));
}

Interval add(const Interval& a, const Interval& b) {
    return combined(a, b, [](double x, double y) { return x + y; }, isExactSum);
}
Interval subtract(const Interval& a, const Interval& b) { return add(a, negate(b)); }
Interval multiply(const Interval& a, const Interval& b) {
    return combined(a, b, [](double x, double y) { return x * y; }, isExactProduct);
}

Interval divide(const Interval& a, const Interval& b) {
    Interval result = combined(a, b, [](double x, double y) { return x / y; });
    if (b.low > 0 || b.high < 0 || !b.hasFinite() || (b.low == 0 && b.high == 0)) return result;
    // The divisor may be as small as there are numbers, of either sign.
    result.unite({-kMost, kMost, true, true, false});
    result.nan |= a.low <= 0 && a.high >= 0;
    return result;
}

Interval negate(const Interval& a) {
    return {-a.high, -a.low, a.negativeInfinity, a.positiveInfinity, a.nan};
}

Interval monotone(const Interval& a, Function function) {
    Interval result;
    for (const double x : extremesOf(a)) addNear(result, function(x));
    return withoutBounds(result, hasBounds(a));
}

Interval monotone(const Interval& a, const Interval& b, Function2 function) {
    Interval result;
    for (const double x : extremesOf(a))
        for (const double y : extremesOf(b)) result.add(function(x, y));
    return withoutBounds(result, hasBounds(a) && hasBounds(b));
}

Interval widened(const Interval& a, const std::function<double(double)>& by) {
    Interval result = a;
    if (!a.hasFinite()) return result;
    result.low = a.low - by(a.low);
    result.high = a.high + by(a.high);
    return result;
}

Interval numbersIn(const Interval& a, numbers::Number number) {
    if (!a.hasFinite()) return a;
    Interval result = a;
    const double most = largestOf(number);
    const auto to = [=](double end, numbers::Rounding inward) {
        end = std::clamp(end, -most, most);
        return numbers::decodeDouble(number, numbers::encodeDouble(number, end, inward));
    };
    result.low = to(a.low, numbers::Rounding::upward);
    result.high = to(a.high, numbers::Rounding::downward);
    return result;
}

// Formats without infinity have NaN, or their largest number, in its place.
Interval rounded(const Interval& a, numbers::Number number) {
    const auto of = [number](double value) {
        return numbers::decodeDouble(number, numbers::encodeDouble(number, value));
    };
    Interval result;
    result.nan = a.nan;
    if (a.positiveInfinity) result.add(of(HUGE_VAL));
    if (a.negativeInfinity) result.add(of(-HUGE_VAL));
    if (!a.hasFinite()) return result;
    const double largest = largestOf(number);
    for (const double value : {a.low, a.high}) {
        const double to = of(value);
        result.add(to);
        if (std::isfinite(to)) continue;
        const bool hasLargest = value > 0 ? a.low <= largest : a.high >= -largest;
        if (a.low != a.high && hasLargest) result.add(std::copysign(largest, value));
    }
    return result;
}

Interval step(const Interval& exact, numbers::Number number) {
    Interval result = rounded(exact, number);
    result.unite(exact);
    return result;
}

double unitInLastPlace(numbers::Number number, double value) {
    const numbers::Format& f = numbers::format(number);
    const int exponent = value == 0 || !std::isfinite(value) ? -2000 : std::ilogb(value);
    return std::ldexp(1, std::max(exponent, 1 - f.bias) - f.mantissaBits);
}

}  // namespace coopvk::reference::intervals
