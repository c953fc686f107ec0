// SPDX-License-Identifier: Apache-2.0
#include "intervals/elements.hpp"

namespace coopvk::reference::intervals {

using numbers::Number;

Interval within(double units, const Interval& exact, Number number) {
    return widened(exact, [=](double end) { return units * unitInLastPlace(number, end); });
}
Interval quotient(const Interval& a, const Interval& b, Number n) {
    return within(2.5, divide(a, b), n);
}
Interval inverseSqrt(const Interval& a, Number n) {
    return within(2, monotone(a, [](double x) { return 1 / std::sqrt(x); }), n);
}
Interval squareRoot(const Interval& a, Number n) {
    return quotient(Interval::of(1), inverseSqrt(a, n), n);
}
Interval sum(const Interval& a, const Interval& b, Number n) { return step(add(a, b), n); }
Interval difference(const Interval& a, const Interval& b, Number n) {
    return step(subtract(a, b), n);
}
Interval product(const Interval& a, const Interval& b, Number n) { return step(multiply(a, b), n); }

}  // namespace coopvk::reference::intervals
