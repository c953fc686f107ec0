// SPDX-License-Identifier: Apache-2.0
// Exact sums of more bits than a significand has, and how these round: IEEE 754, 4.3 and 6.3.
#include <gtest/gtest.h>

#include <cmath>

#include "numbers/exact.hpp"

namespace coopvk::reference::numbers::exact_sums_test {
namespace {

Exact sumOf(std::initializer_list<double> addends) {
    ExactSum sum;
    for (const double addend : addends) sum.add(fromDouble(addend));
    return sum.value();
}

double rounded(const Exact& value, Rounding rounding) {
    return std::bit_cast<double>(encode(Number::f64, value, rounding));
}

// A number and 2^-200 of either sign, far below its last bit.
TEST(ExactSums, BitsFarBelow) {
    using enum Rounding;
    for (const double number : {1.0, -1.0, 0x1.8p100, 0x1.fffffffffffffp3}) {
        const double away = std::nextafter(number, number < 0 ? -HUGE_VAL : HUGE_VAL);
        const double inward = std::nextafter(number, 0);
        const double tail = std::copysign(0x1p-200, number);
        const Exact more = sumOf({number, tail}), less = sumOf({number, -tail});
        const auto outwards = number < 0 ? downward : upward,
                   inwards = number < 0 ? upward : downward;
        EXPECT_EQ(rounded(more, nearestEven), number);
        EXPECT_EQ(rounded(more, towardZero), number);
        EXPECT_EQ(rounded(more, outwards), away);
        EXPECT_EQ(rounded(more, inwards), number);
        EXPECT_EQ(rounded(less, nearestEven), number);
        EXPECT_EQ(rounded(less, towardZero), inward);
        EXPECT_EQ(rounded(less, outwards), number);
        EXPECT_EQ(rounded(less, inwards), inward);
    }
}

// Halfway between two numbers, a little more, and a little less.
TEST(ExactSums, TiesThatAreNone) {
    constexpr double kHalfUnit = 0x1p-53, kUnit = 0x1p-52;
    for (const double sign : {1.0, -1.0})
        for (int last = -1074; last < -53; last += last < -200 ? 100 : 1) {
            const double tail = std::ldexp(1.0, last);
            const auto nearest = [&](double number, double end) {
                return sign * rounded(sumOf({sign * number, sign * kHalfUnit, sign * end}),
                                      Rounding::nearestEven);
            };
            EXPECT_EQ(nearest(1, 0), 1);
            EXPECT_EQ(nearest(1, tail), 1 + kUnit);
            EXPECT_EQ(nearest(1, -tail), 1);
            EXPECT_EQ(nearest(1 + kUnit, 0), 1 + 2 * kUnit);
            EXPECT_EQ(nearest(1 + kUnit, -tail), 1 + kUnit);
        }
}

// What cancels leaves the rest alone, whatever was between.
TEST(ExactSums, Cancellations) {
    EXPECT_EQ(toDouble(sumOf({0x1p1000, 0x1p-1000, -0x1p1000})), 0x1p-1000);
    EXPECT_EQ(toDouble(sumOf({0x1p300, 3, 0x1p-300, -0x1p300, -0x1p-300})), 3);
    EXPECT_EQ(toDouble(sumOf({-0x1p300, -3, 0x1p300})), -3);
    // "the sign of a sum ... shall be +0", unless all addends are -0.
    EXPECT_FALSE(std::signbit(toDouble(sumOf({1, -1}))));
    EXPECT_FALSE(std::signbit(toDouble(sumOf({-0.0, 0.0}))));
    EXPECT_TRUE(std::signbit(toDouble(sumOf({-0.0, -0.0}))));
}

// The squares of the largest power of two and of the smallest number: 2^2046 and 2^-2148. A
// significand has 64 bits, of which the first is 1.
TEST(ExactSums, ProductsOfAnySize) {
    ExactSum large;
    const Exact most = fromDouble(0x1p1023);
    large.addProduct(most, most);
    EXPECT_EQ(large.value().significand >> 63, 1u);
    EXPECT_EQ(large.value().exponent, 2046 - 63);
    large.addProduct(most, fromDouble(-0x1p1023));
    EXPECT_TRUE(large.value().zero());
    ExactSum small;
    const Exact least = fromDouble(0x1p-1074);
    small.addProduct(least, least);
    EXPECT_EQ(small.value().significand >> 63, 1u);
    EXPECT_EQ(small.value().exponent, -2148 - 63);
}

// Whatever numbers are, the same format keeps their bits: NaN with a payload, also signaling ones.
TEST(ExactSums, SameFormats) {
    const ConversionRule rule = conversionRule(false);
    EXPECT_EQ(convert(Number::f16, Number::f16, 0xFC01, rule).bits, 0xFC01u);
    EXPECT_EQ(convert(Number::f32, Number::f32, 0x7F812345, rule).bits, 0x7F812345u);
    EXPECT_EQ(convert(Number::e5m2, Number::e5m2, 0x7D, rule).bits, 0x7Du);
    EXPECT_EQ(convert(Number::bf16, Number::bf16, 0x7F81, rule).bits, 0x7F81u);
    EXPECT_EQ(convert(Number::s8, Number::u16, 0x80, rule).bits, 0xFF80u);
}

// A format without zero has its smallest number for what is too small, and one without infinity NaN
// or the largest number for what is too large.
TEST(ExactSums, NumbersThatFormatsLack) {
    const auto scale = [](double value, Overflow overflow = Overflow::special) {
        bool outside = false;
        const uint64_t bits =
            encode(Number::e8m0, fromDouble(value), Rounding::nearestEven, overflow, &outside);
        return outside ? int(bits) | 256 : int(bits);
    };
    EXPECT_EQ(scale(1), 127);
    EXPECT_EQ(scale(0x1p-127), 0);
    EXPECT_EQ(scale(0x1p127), 254);
    EXPECT_EQ(scale(0), 256);
    EXPECT_EQ(scale(0x1p-300), 256 | 0);
    EXPECT_EQ(scale(0x1p128), 256 | 255);
    EXPECT_EQ(scale(0x1p300), 256 | 255);
    EXPECT_EQ(scale(HUGE_VAL), 256 | 255);
    EXPECT_EQ(scale(0x1p300, Overflow::saturate), 256 | 254);
    EXPECT_EQ(scale(0x1p-300, Overflow::saturate), 256 | 0);
}

}  // namespace
}  // namespace coopvk::reference::numbers::exact_sums_test
