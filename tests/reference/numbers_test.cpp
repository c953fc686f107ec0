// SPDX-License-Identifier: Apache-2.0
// Number formats: each format's numbers are listed from the formula of its text, and the nearest is
// searched in that list.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numbers/exact.hpp"

namespace coopvk::reference::numbers::numbers_test {
namespace {

struct Listed {
    double value;
    uint64_t bits;
};

// IEEE 754, 3.4 for a format without its special patterns: `patterns` of them are finite numbers.
std::vector<Listed> listNumbers(int exponentBits, int mantissaBits, int bias, uint64_t patterns) {
    std::vector<Listed> numbers;
    for (uint64_t bits = 0; bits < patterns; ++bits) {
        const int field = int(bits >> mantissaBits);
        const double fraction =
            std::ldexp(double(bits & ((1u << mantissaBits) - 1)), -mantissaBits);
        const double value =
            field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
        numbers.push_back({value, bits});
    }
    EXPECT_LE(numbers.size(), 1u << (exponentBits + mantissaBits));
    return numbers;
}

struct FloatCase {
    Number number;
    int exponentBits, mantissaBits, bias;
    uint64_t finite;    // patterns of positive finite numbers, with zero
    uint64_t overflow;  // the pattern of numbers that are too large
};

// Finite patterns: f16, bf16 and e5m2 up to the largest exponent, e4m3 up to 448 (the paper "FP8
// Formats for Deep Learning", table 1), OCP's small formats all (table 1 to 4: 6, 7.5, 28).
const FloatCase kCases[] = {
    {Number::f16, 5, 10, 15, 0x7C00, 0x7C00},
    {Number::bf16, 8, 7, 127, 0x7F80, 0x7F80},
    {Number::e4m3, 4, 3, 7, 0x7F, 0x7F},
    {Number::e5m2, 5, 2, 15, 0x7C, 0x7C},
    {Number::e2m1, 2, 1, 1, 8, 7},
    {Number::e2m3, 2, 3, 1, 32, 31},
    {Number::e3m2, 3, 2, 3, 32, 31},
};

uint64_t signOf(const FloatCase& c) { return uint64_t(1) << (c.exponentBits + c.mantissaBits); }

// The number of the list that is nearest to the positive `value`; of two the one with an even
// pattern. Beyond the last number by half a step or more: the pattern for overflow.
uint64_t nearest(const FloatCase& c, const std::vector<Listed>& numbers, double value) {
    const auto after = std::find_if(numbers.begin(), numbers.end(),
                                    [&](const Listed& n) { return n.value >= value; });
    if (after == numbers.begin()) return 0;
    const Listed& below = *(after - 1);
    if (after == numbers.end()) {
        const double half = (below.value - (after - 2)->value) / 2;
        const bool tieStays = below.bits % 2 == 0;
        const double distance = value - below.value;
        return distance < half || (distance == half && tieStays) ? below.bits : c.overflow;
    }
    const double toBelow = value - below.value;
    const double toAbove = after->value - value;
    if (toBelow != toAbove) return toBelow < toAbove ? below.bits : after->bits;
    return below.bits % 2 == 0 ? below.bits : after->bits;
}

TEST(Numbers, DecodesEveryPattern) {
    for (const FloatCase& c : kCases) {
        const auto numbers = listNumbers(c.exponentBits, c.mantissaBits, c.bias, c.finite);
        for (const Listed& n : numbers) {
            EXPECT_EQ(decodeDouble(c.number, n.bits), n.value);
            const double negative = decodeDouble(c.number, n.bits | signOf(c));
            EXPECT_EQ(negative, -n.value);
            EXPECT_TRUE(std::signbit(negative));
        }
        for (uint64_t bits = c.finite; bits < signOf(c); ++bits) {
            const Kind kind = decode(c.number, bits).kind;
            const bool infinity = bits == c.overflow && c.number != Number::e4m3;
            EXPECT_EQ(kind, infinity ? Kind::infinity : Kind::nan) << format(c.number).name << bits;
        }
    }
}

// Numbers, the middles between neighbours, and what lies just beside these.
TEST(Numbers, EncodesTheNearestNumber) {
    for (const FloatCase& c : kCases) {
        const auto numbers = listNumbers(c.exponentBits, c.mantissaBits, c.bias, c.finite);
        const size_t step = numbers.size() > 4096 ? 61 : 1;  // the search in the list is slow
        for (size_t i = 0; i < numbers.size(); i += step) {
            const double value = numbers[i].value;
            const double next =
                i + 1 < numbers.size() ? numbers[i + 1].value : 2 * value - numbers[i - 1].value;
            const double middle = (value + next) / 2;
            for (double v : {value, middle, std::nextafter(middle, 0.0),
                             std::nextafter(middle, HUGE_VAL), next}) {
                const uint64_t expected = nearest(c, numbers, v);
                EXPECT_EQ(encodeDouble(c.number, v), expected) << format(c.number).name << " " << v;
                EXPECT_EQ(encodeDouble(c.number, -v), expected | signOf(c));
            }
        }
    }
}

TEST(Numbers, RoundsTowardZeroUpAndDown) {
    const double third = 1.0 / 3;  // between 0x3555 and 0x3556 in binary16
    EXPECT_EQ(encodeDouble(Number::f16, third, Rounding::towardZero), 0x3555u);
    EXPECT_EQ(encodeDouble(Number::f16, third, Rounding::upward), 0x3556u);
    EXPECT_EQ(encodeDouble(Number::f16, third, Rounding::downward), 0x3555u);
    EXPECT_EQ(encodeDouble(Number::f16, -third, Rounding::upward), 0xB555u);
    EXPECT_EQ(encodeDouble(Number::f16, -third, Rounding::downward), 0xB556u);
    // IEEE 754, 7.4
    EXPECT_EQ(encodeDouble(Number::f16, 1e6, Rounding::towardZero), 0x7BFFu);
    EXPECT_EQ(encodeDouble(Number::f16, 1e6, Rounding::upward), 0x7C00u);
    EXPECT_EQ(encodeDouble(Number::f16, -1e6, Rounding::upward), 0xFBFFu);
}

// SPV_EXT_float8, "Conversion Instructions"
TEST(Numbers, Float8Overflow) {
    const auto saturated = [](Number n, double v) {
        return encode(n, fromDouble(v), Rounding::nearestEven, Overflow::saturate);
    };
    EXPECT_EQ(saturated(Number::e4m3, 1e9), 0x7Eu);
    EXPECT_EQ(saturated(Number::e4m3, -HUGE_VAL), 0xFEu);
    EXPECT_EQ(saturated(Number::e5m2, HUGE_VAL), 0x7Bu);
    EXPECT_EQ(encodeDouble(Number::e4m3, HUGE_VAL), 0x7Fu);
    EXPECT_EQ(encodeDouble(Number::e5m2, -1e9), 0xFCu);
    EXPECT_EQ(encodeDouble(Number::e5m2, 1e9, Rounding::towardZero), 0x7Cu);
    EXPECT_EQ(decode(Number::e4m3, saturated(Number::e4m3, NAN)).kind, Kind::nan);
}

// What exact.hpp says of formats without NaN, and of one without zero.
TEST(Numbers, WhatFormatsLack) {
    bool outside = false;
    const auto encoded = [&](Number n, double value) {
        return encode(n, fromDouble(value), Rounding::nearestEven, Overflow::special, &outside);
    };
    for (const Number number : {Number::e2m1, Number::e2m3, Number::e3m2}) {
        EXPECT_EQ(encoded(number, NAN), 0u);
        EXPECT_TRUE(outside);
        EXPECT_EQ(encoded(number, 0), 0u);
        EXPECT_FALSE(outside);
    }
    EXPECT_EQ(encoded(Number::e8m0, 0), 0u);  // 2^-127
    EXPECT_TRUE(outside);
    EXPECT_EQ(encoded(Number::e8m0, 0x1p-127), 0u);
    EXPECT_FALSE(outside);
}

// OCP Microscaling Formats 1.0, 5.3.4 and 5.4.1
TEST(Numbers, ExponentsAndFixedPoint) {
    for (uint64_t bits = 0; bits < 255; ++bits) {
        const double value = std::ldexp(1.0, int(bits) - 127);
        EXPECT_EQ(decodeDouble(Number::e8m0, bits), value);
        EXPECT_EQ(encodeDouble(Number::e8m0, value), bits);
    }
    EXPECT_EQ(decode(Number::e8m0, 255).kind, Kind::nan);
    for (int i = -128; i < 128; ++i) {
        EXPECT_EQ(decodeDouble(Number::mxint8, uint64_t(i)), i / 64.0);
        EXPECT_EQ(encodeDouble(Number::mxint8, i / 64.0), uint64_t(i) & 0xFF);
    }
    EXPECT_EQ(encodeDouble(Number::mxint8, 1.9999), 0x7Fu);
    EXPECT_EQ(encodeDouble(Number::mxint8, 1.5 / 64), 2u);
}

TEST(Numbers, SinglesAgreeWithTheProcessor) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; ++i) {
        const auto wide = std::bit_cast<double>(random());
        const auto narrow = double(std::bit_cast<float>(uint32_t(random())));
        for (double v : {wide, narrow, narrow * (1 + 0x1p-24), narrow * (1 + 0x1p-40)}) {
            if (std::isnan(v)) continue;
            EXPECT_EQ(encodeDouble(Number::f32, v), std::bit_cast<uint32_t>(float(v)));
            EXPECT_EQ(toDouble(fromDouble(v)), v);
        }
        const uint64_t integer = random() >> (i % 64);
        EXPECT_EQ(encode(Number::f32, decode(Number::u64, integer)),
                  std::bit_cast<uint32_t>(float(integer)));
        EXPECT_EQ(encode(Number::f64, decode(Number::s64, integer)),
                  std::bit_cast<uint64_t>(double(int64_t(integer))));
    }
}

TEST(Numbers, Integers) {
    const auto wrapped = [](Number n, int64_t v) {
        return encode(n, decode(Number::s64, uint64_t(v)), Rounding::towardZero, Overflow::wrap);
    };
    const auto saturated = [](Number n, int64_t v) {
        return encode(n, decode(Number::s64, uint64_t(v)), Rounding::towardZero,
                      Overflow::saturate);
    };
    EXPECT_EQ(wrapped(Number::s4, 9), 9u);
    EXPECT_EQ(saturated(Number::s4, 9), 7u);
    EXPECT_EQ(saturated(Number::s4, -9), 8u);
    EXPECT_EQ(saturated(Number::u4, 16), 15u);
    EXPECT_EQ(saturated(Number::u8, -1), 0u);
    EXPECT_EQ(wrapped(Number::u8, -1), 255u);
    EXPECT_EQ(saturated(Number::s64, INT64_MIN), uint64_t(INT64_MIN));
    EXPECT_EQ(decodeDouble(Number::s4, 8), -8);
    EXPECT_EQ(saturated(Number::u64, -5), 0u);
}

// SPIR-V: OpConvertFToS rounds toward zero and is undefined out of range; SPV_NV_cooperative_vector
// rounds to nearest even and saturates.
TEST(Conversions, FloatsToIntegers) {
    const auto bits = [](float f) { return uint64_t(std::bit_cast<uint32_t>(f)); };
    const ConversionRule core = conversionRule(false);
    const ConversionRule vector = inputRule();
    EXPECT_EQ(convert(Number::f32, Number::s8, bits(-2.5f), core).bits, 0xFEu);
    EXPECT_EQ(convert(Number::f32, Number::s8, bits(-3.5f), vector).bits, 0xFCu);
    EXPECT_EQ(convert(Number::f32, Number::s8, bits(2.5f), vector).bits, 2u);
    EXPECT_FALSE(convert(Number::f32, Number::s8, bits(128), core).defined);
    EXPECT_TRUE(convert(Number::f32, Number::s8, bits(127.9f), core).defined);
    EXPECT_FALSE(convert(Number::f32, Number::s8, bits(127.9f), vector).bits == 0x80u);
    EXPECT_EQ(convert(Number::f32, Number::s8, bits(1e9f), vector).bits, 127u);
    EXPECT_EQ(convert(Number::f32, Number::u8, bits(-1e9f), vector).bits, 0u);
    EXPECT_TRUE(convert(Number::f32, Number::u8, bits(-0.5f), core).defined);
    EXPECT_FALSE(convert(Number::f32, Number::u8, bits(NAN), core).defined);
}

// SPV_KHR_bfloat16: from binary64 by way of binary32. 1 + 2^-8 + 2^-40 becomes 1 + 2^-8 in
// binary32, a tie in bfloat16; rounded at once it would be above the tie.
TEST(Conversions, BFloat16ByWayOfSingles) {
    const double value = 1 + 0x1p-8 + 0x1p-40;
    const auto bits = std::bit_cast<uint64_t>(value);
    EXPECT_EQ(convert(Number::f64, Number::bf16, bits, conversionRule(false)).bits, 0x3F80u);
    EXPECT_EQ(encodeDouble(Number::bf16, value), 0x3F81u);
    EXPECT_EQ(convert(Number::bf16, Number::f64, 0x3F81, conversionRule(false)).bits,
              std::bit_cast<uint64_t>(1 + 0x1p-7));
}

TEST(Conversions, SignednessOfTheSourceExtends) {
    const ConversionRule core = conversionRule(false);
    EXPECT_EQ(convert(Number::s8, Number::u32, 0x80, core).bits, 0xFFFFFF80u);
    EXPECT_EQ(convert(Number::u8, Number::s32, 0x80, core).bits, 0x80u);
    EXPECT_EQ(convert(Number::s32, Number::s4, 0x17, core).bits, 7u);
    EXPECT_EQ(convert(Number::s32, Number::s8, 1000, inputRule()).bits, 127u);
    EXPECT_EQ(convert(Number::f32, Number::e4m3, 0x7F800000, conversionRule(true)).bits, 0x7Eu);
    EXPECT_EQ(convert(Number::f32, Number::e4m3, 0x7F800000, core).bits, 0x7Fu);
}

// Integers of 64 bits are rounded once: a double would drop the last 1, and then the half is a tie.
TEST(Conversions, LongIntegersAreRoundedOnce) {
    const auto single = [](Number from, uint64_t bits) {
        return std::bit_cast<float>(uint32_t(Conversion(from, Number::f32, {})(bits).bits));
    };
    constexpr uint64_t kHalf = uint64_t{1} << 39, kOne = uint64_t{1} << 63;  // of the last bit
    EXPECT_EQ(single(Number::u64, kOne + kHalf), std::ldexp(1.0f, 63));
    EXPECT_EQ(single(Number::u64, kOne + kHalf + 1), std::ldexp(1.0f + 0x1p-23f, 63));
    EXPECT_EQ(single(Number::s64, kOne / 2 + kHalf / 2 + 1), std::ldexp(1.0f + 0x1p-23f, 62));
    EXPECT_EQ(single(Number::s64, ~(kOne / 2 + kHalf / 2)), -std::ldexp(1.0f + 0x1p-23f, 62));
}

// "Saturating" conversions are defined for every number; those of SPIR-V are not.
TEST(Conversions, BeyondTheRangeOfIntegers) {
    const auto converted = [](float from, bool saturates) {
        return Conversion(Number::f32, Number::s8,
                          conversionRule(saturates))(std::bit_cast<uint32_t>(from));
    };
    for (const bool saturates : {false, true}) {
        EXPECT_TRUE(converted(127.5f, saturates).defined);
        EXPECT_EQ(converted(127.5f, saturates).bits, 127u);
        EXPECT_EQ(converted(128, saturates).defined, saturates);
        EXPECT_EQ(converted(-1000, saturates).defined, saturates);
    }
    EXPECT_EQ(converted(1000, true).bits, 0x7Fu);
    EXPECT_EQ(converted(-1000, true).bits, 0x80u);
}

// Of single precision to double and back, which the processor keeps.
TEST(Conversions, FlushDenormals) {
    const auto bitsOf = [](Number from, Number to, uint64_t bits, bool operand, bool result) {
        ConversionRule rule;
        rule.flushOperand = operand;
        rule.flushResult = result;
        return Conversion(from, to, rule)(bits).bits;
    };
    constexpr uint64_t kLeast = 1, kLeastOfDouble = 0x36A0000000000000;  // 2^-149
    for (const bool other : {false, true}) {
        EXPECT_EQ(bitsOf(Number::f32, Number::f64, kLeast, false, other), kLeastOfDouble);
        EXPECT_EQ(bitsOf(Number::f32, Number::f64, kLeast, true, other), 0u);
        EXPECT_EQ(bitsOf(Number::f64, Number::f32, kLeastOfDouble, other, false), kLeast);
        EXPECT_EQ(bitsOf(Number::f64, Number::f32, kLeastOfDouble, other, true), 0u);
    }
}

// Doubles are rounded once to formats but bfloat16: in single precision the last bit is lost, and
// then half of the last place is a tie.
TEST(Conversions, DoublesAreRoundedOnce) {
    const auto rounded = [](Number to, double value) {
        return Conversion(Number::f64, to, conversionRule(true))(std::bit_cast<uint64_t>(value))
            .bits;
    };
    EXPECT_EQ(rounded(Number::f16, 1 + 0x1p-11 + 0x1p-40), 0x3C01u);
    EXPECT_EQ(rounded(Number::f16, 1 + 0x1p-11), 0x3C00u);
    EXPECT_EQ(rounded(Number::e4m3, 1 + 0x1p-4 + 0x1p-40), 0x39u);
    EXPECT_EQ(rounded(Number::e5m2, 1 + 0x1p-3 + 0x1p-40), 0x3Du);
    EXPECT_EQ(rounded(Number::bf16, 1 + 0x1p-8 + 0x1p-40), 0x3F80u) << "SPV_KHR_bfloat16";
    EXPECT_EQ(rounded(Number::bf16, 1 + 0x1p-8 + 0x1p-20), 0x3F81u);
}

// Powers of two have neither a sign nor zero.
TEST(Numbers, OutsideOfPowersOfTwo) {
    const auto isOutside = [](double value) {
        bool outside = false;
        encode(Number::e8m0, fromDouble(value), Rounding::nearestEven, Overflow::special, &outside);
        return outside;
    };
    EXPECT_FALSE(isOutside(1) || isOutside(0x1p-127) || isOutside(0x1p127));
    EXPECT_TRUE(isOutside(0) && isOutside(-1) && isOutside(0x1p128) && isOutside(0x1p-130));
}

// All bits of a significand below the unit: it is rounded to that, or to nothing.
TEST(Conversions, FractionsOf64Bits) {
    const auto rounded = [](uint64_t significand, int32_t exponent, bool more) {
        return encode(Number::u32, {Kind::finite, false, more, exponent, significand});
    };
    constexpr uint64_t kHalf = uint64_t{1} << 63;
    EXPECT_EQ(rounded(kHalf, -64, false), 0u) << "a tie, to even";
    EXPECT_EQ(rounded(kHalf, -64, true), 1u);
    EXPECT_EQ(rounded(kHalf + 1, -64, false), 1u);
    EXPECT_EQ(rounded(kHalf - 1, -64, false), 0u);
    EXPECT_EQ(rounded(~uint64_t{0}, -65, true), 0u);
    EXPECT_EQ(rounded(kHalf, -63, false), 1u);
    EXPECT_EQ(rounded(kHalf + kHalf / 2, -63, false), 2u) << "a tie, to even";
}

TEST(ExactSums, CancelWithoutLoss) {
    ExactSum sum;
    for (double v : {1e300, 1.0, -1e300, 0x1p-1074, 0x1p60}) sum.add(fromDouble(v));
    const Exact result = sum.value();
    EXPECT_TRUE(result.more);  // 2^-1074 remains beside 2^60 + 1
    EXPECT_EQ(toDouble(result), 0x1p60);
    sum.add(fromDouble(-0x1p60));
    sum.add(fromDouble(-1.0));
    EXPECT_EQ(toDouble(sum.value()), 0x1p-1074);
}

// The smallest product of two numbers decides a tie.
// However far below the first bit another one is: rounded upwards, a sum has the next number.
TEST(ExactSums, NoBitIsLost) {
    const auto single = [](const ExactSum& sum, Rounding rounding) {
        return std::bit_cast<float>(uint32_t(encode(Number::f32, sum.value(), rounding)));
    };
    for (int first = -34; first <= 34; ++first)
        for (int distance = 24; distance < 240; distance += distance < 130 ? 1 : 9) {
            ExactSum sum;
            sum.add(fromDouble(std::ldexp(1.0, first)));
            sum.add(fromDouble(std::ldexp(1.0, first - distance)));
            const float exact = std::ldexp(1.0f, first), next = std::ldexp(1.0f + 0x1p-23f, first);
            EXPECT_EQ(single(sum, Rounding::upward), next) << first << ' ' << distance;
            EXPECT_EQ(single(sum, Rounding::downward), exact);
            EXPECT_EQ(single(sum, Rounding::nearestEven), exact);
        }
}

TEST(ExactSums, KeepTheSmallestProduct) {
    for (const double last : {0.0, 0x1p-1074, -0x1p-1074}) {
        ExactSum sum;
        for (const double v : {1.0, 0x1p-24}) sum.add(fromDouble(v));
        sum.addProduct(fromDouble(0x1p-1074), fromDouble(last));
        EXPECT_EQ(encode(Number::f32, sum.value()), last > 0 ? 0x3F800001u : 0x3F800000u) << last;
    }
}

TEST(ExactSums, AgreeWithIntegers) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 2000; ++i) {
        ExactSum sum;
        int64_t expected = 0;
        for (int k = 0; k < 20; ++k) {
            const auto a = int64_t(int32_t(random())) >> (random() % 20);
            const auto b = int64_t(int32_t(random())) >> (8 + random() % 20);
            expected += a * b;
            sum.addProduct(decode(Number::s64, uint64_t(a)), decode(Number::s64, uint64_t(b)));
        }
        EXPECT_EQ(encode(Number::s64, sum.value()), uint64_t(expected));
        EXPECT_EQ(toDouble(sum.value()), double(expected));
    }
}

TEST(ExactSums, Specials) {
    ExactSum sum;
    sum.addProduct(fromDouble(HUGE_VAL), fromDouble(-2));
    EXPECT_EQ(toDouble(sum.value()), -HUGE_VAL);
    sum.add(fromDouble(HUGE_VAL));
    EXPECT_EQ(sum.value().kind, Kind::nan);
    ExactSum zero;
    zero.addProduct(fromDouble(-0.0), fromDouble(1));
    EXPECT_TRUE(zero.value().negative);
    zero.add(fromDouble(0.0));
    EXPECT_FALSE(zero.value().negative);
}

}  // namespace
}  // namespace coopvk::reference::numbers::numbers_test
