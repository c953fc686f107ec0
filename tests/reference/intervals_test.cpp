// SPDX-License-Identifier: Apache-2.0
//
// Intervals of sums hold what any order of additions gives, each rounded in any direction, by
// arithmetic of its own (binary128); and they are not much wider than that.
#include "coopvk_reference/intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "execution/shadow.hpp"
#include "intervals/arithmetic.hpp"
#include "matrices/matrix.hpp"

namespace coopvk::reference::intervals_test {
namespace {

using numbers::Number;

// 113 bits: products of two f32 are exact, and sums of some of them nearly.
__extension__ using Long = __float128;

enum class Way { kDown, kUp, kNearest };

// A format, by its bits.
struct Shape {
    Number number;
    int mantissa, smallest;  // exponent of the smallest normal number
    double largest;
};
constexpr Shape kShapes[] = {{Number::f16, 10, -14, 65504},
                             {Number::f32, 23, -126, 0x1.fffffep127},
                             {Number::bf16, 7, -126, 0x1.fep127},
                             {Number::e5m2, 2, -14, 57344}};

double rounded(const Shape& shape, Long value, Way way) {
    if (std::isnan(double(value)) || std::isinf(double(value))) return double(value);
    const int exponent =
        value == 0 ? shape.smallest : std::max(std::ilogb(double(value)), shape.smallest);
    const Long unit = std::ldexp(1.0, exponent - shape.mantissa);
    const Long count = value / unit;  // exact: units are powers of 2
    Long below = Long(std::floor(double(count)));
    if (below > count) below -= 1;  // double(count) was rounded up
    if (below + 1 <= count) below += 1;
    Long whole = below;
    if (way == Way::kUp && below != count) whole = below + 1;
    if (way == Way::kNearest) {
        const Long rest = count - below;
        const bool isOdd = std::fmod(double(below), 2) != 0;
        if (rest > Long(0.5) || (rest == Long(0.5) && isOdd)) whole = below + 1;
    }
    const auto result = double(whole * unit);
    if (std::abs(result) > shape.largest) return std::copysign(HUGE_VAL, result);
    return result;
}

struct Terms {
    std::vector<double> a, b;
    double c = 0;
};

using Generator = std::mt19937_64;

double numberFrom(Generator& random, const Shape& shape, int spread) {
    const auto exponent = int(random() % unsigned(2 * spread + 1)) - spread;
    const double value = std::ldexp(1 + double(random() >> 12) * 0x1p-52, exponent);
    return rounded(shape, Long(random() % 2 == 0 ? value : -value), Way::kNearest);
}

Terms termsFrom(Generator& random, const Shape& factor, const Shape& sum, size_t count) {
    Terms terms;
    const int spread = int(random() % 7);
    for (size_t k = 0; k < count; ++k) {
        terms.a.push_back(numberFrom(random, factor, spread));
        terms.b.push_back(numberFrom(random, factor, spread));
    }
    terms.c = numberFrom(random, sum, spread);
    return terms;
}

// In a random order, as a list or as a tree; each step is rounded in a random direction, or in one.
double sumOf(Generator& random, const Shape& shape, const Terms& terms,
             std::optional<Way> one = std::nullopt) {
    const auto way = [&] { return one.value_or(Way(random() % 3)); };
    std::vector<double> parts = {terms.c};
    for (size_t k = 0; k < terms.a.size(); ++k)
        parts.push_back(rounded(shape, Long(terms.a[k]) * Long(terms.b[k]), way()));
    while (parts.size() > 1) {
        std::swap(parts[random() % parts.size()], parts.back());
        const double part = parts.back();
        parts.pop_back();
        double& other = parts[random() % parts.size()];
        other = rounded(shape, Long(other) + Long(part), way());
    }
    return parts[0];
}

Interval boundsOf(const Shape& shape, const Terms& terms) {
    SumBounds bounds(shape.number);
    bounds.add(Interval::of(terms.c));
    for (size_t k = 0; k < terms.a.size(); ++k) bounds.addProduct(terms.a[k], terms.b[k]);
    return bounds.result();
}

class IntervalsOfSums : public testing::TestWithParam<std::tuple<Shape, Shape>> {};

TEST_P(IntervalsOfSums, HoldAllOrders) {
    constexpr int kSums = 300, kOrders = 24;
    const auto& [factor, sum] = GetParam();
    Generator random(7);
    for (int i = 0; i < kSums; ++i) {
        const Terms terms = termsFrom(random, factor, sum, 1 + random() % 24);
        const Interval bounds = boundsOf(sum, terms);
        for (int order = 0; order < kOrders; ++order) {
            const double value = sumOf(random, sum, terms);
            ASSERT_TRUE(bounds.contains(value))
                << value << " is not in [" << bounds.low << ", " << bounds.high << "], sum " << i;
        }
    }
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Shape, Shape>>& info) {
    const auto& [factor, sum] = info.param;
    return std::string(numbers::format(factor.number).name) + "To" +
           std::string(numbers::format(sum.number).name);
}
INSTANTIATE_TEST_SUITE_P(All, IntervalsOfSums,
                         testing::Combine(testing::ValuesIn(kShapes), testing::ValuesIn(kShapes)),
                         nameOf);

// The same as a deviation, which is shorter.
TEST(Deviations, HoldTheirIntervals) {
    Generator random(11);
    for (int i = 0; i < 20000; ++i) {
        const Shape& shape = kShapes[random() % std::size(kShapes)];
        const double value = numberFrom(random, shape, 12);
        Interval set = Interval::of(value);
        set.add(numberFrom(random, shape, 12));
        set.positiveInfinity = random() % 4 == 0;
        set.nan = random() % 4 == 0;
        const uint64_t bits = numbers::bitsOf(shape.number, value);
        const Interval back = intervalOf(deviationOf(shape.number, bits, set), shape.number, bits);
        ASSERT_TRUE(back.contains(set.low) && back.contains(set.high));
        ASSERT_EQ(back.positiveInfinity, set.positiveInfinity);
        ASSERT_EQ(back.nan, set.nan);
        ASSERT_LE(back.high - back.low, 2.001 * (set.high - set.low) + std::abs(value) * 0x1p-50);
    }
}

// An infinite value, of which a far and small number is possible, too: in doubles their distance is
// that to zero.
// What depends on a number that is not known may be any number.
TEST(IntervalArithmetic, OfAnyNumbers) {
    const Interval any = Interval::all(), two = Interval::of(2);
    const Interval results[] = {
        intervals::multiply(any, two), intervals::add(two, any), intervals::divide(any, two),
        intervals::monotone(any, [](double x) { return std::trunc(x); }),
        intervals::monotone(any, two, [](double x, double y) { return std::max(x, y); })};
    for (const Interval& result : results) {
        EXPECT_TRUE(result.contains(5));
        EXPECT_TRUE(result.contains(1e30));
    }
}

TEST(Deviations, HoldNumbersFarFromInfinity) {
    for (const double small : {-0x1p71, 0x1p71}) {
        Interval set = Interval::between(std::min(small, 1.0), std::max(small, 1.0));
        set.add(HUGE_VAL);
        const uint64_t infinity = numbers::bitsOf(Number::bf16, HUGE_VAL);
        const Deviation deviation = deviationOf(Number::bf16, infinity, set);
        EXPECT_TRUE(intervalOf(deviation, Number::bf16, infinity).contains(small)) << small;
    }
}

// Sums of small integers are exact in any order: no other number is permitted.
// A product beyond the range: infinite to all but a sum, which may take it before it is rounded.
TEST(Deviations, HoldProductsBeyondInfinity) {
    for (const Shape& shape : kShapes) {
        for (const double sign : {1.0, -1.0}) {
            const double value = sign * HUGE_VAL, exact = 1.5 * sign * shape.largest;
            const bool hasInfinity = shape.number != Number::e5m2;
            const uint64_t bits = numbers::encodeDouble(shape.number, value);
            if (!hasInfinity || !std::isinf(numbers::decodeDouble(shape.number, bits))) continue;
            Interval set = Interval::of(exact);
            set.add(value);
            const Deviation deviation = deviationOf(shape.number, bits, set);
            const Interval sums = unroundedOf(deviation, shape.number, bits);
            EXPECT_TRUE(sums.contains(exact) && sums.contains(value)) << exact;
            EXPECT_FALSE(sums.contains(sign * shape.largest / 2)) << exact;
            const Interval others = intervalOf(deviation, shape.number, bits);
            EXPECT_TRUE(others.contains(value) && !others.hasFinite()) << exact;
        }
    }
}

TEST(Deviations, AreNoneOfExactSums) {
    SumBounds bounds(Number::f16);
    for (int k = 0; k < 64; ++k) bounds.addProduct(k % 9 - 4, k % 7 - 3);
    const Interval sum = bounds.result();
    EXPECT_EQ(sum.low, sum.high);
    EXPECT_FALSE(sum.nan || sum.positiveInfinity || sum.negativeInfinity);
}

// Only one addend has bits behind the last one of large sums, so one rounding changes something,
// or two: to multiples of 2, or of 4.
TEST(Deviations, HaveOneRoundingForEachFineAddend) {
    SumBounds bounds(Number::f16);
    for (int k = 0; k < 16; ++k) bounds.add(Interval::of(256));
    bounds.add(Interval::of(1));
    const Interval sum = bounds.result();
    EXPECT_TRUE(sum.contains(4096) && sum.contains(4100));
    EXPECT_GE(sum.low, 4097 - 3 - 1 - 0.5);
    EXPECT_LE(sum.high, 4097 + 3 + 1 + 0.5);
}

// Each sum is small, but some orders pass the largest number.
TEST(Deviations, KnowInfinitiesOnTheWay) {
    SumBounds bounds(Number::f16);
    bounds.addProduct(40000, 1);
    bounds.addProduct(40000, 1);
    bounds.addProduct(-39999, 1);
    bounds.addProduct(-39000, 1);
    const Interval sum = bounds.result();
    EXPECT_TRUE(sum.contains(HUGE_VAL) && sum.contains(-HUGE_VAL) && sum.contains(NAN));
    EXPECT_TRUE(sum.contains(1001));
    EXPECT_FALSE(sum.contains(0));
}

// Too large for a format without infinity: NaN, and all smaller numbers stay possible.
TEST(Deviations, KnowFormatsWithoutInfinity) {
    const Interval set = intervals::rounded(Interval::between(1, 1000), Number::e4m3);
    EXPECT_TRUE(set.contains(1) && set.contains(448) && set.contains(NAN));
    EXPECT_FALSE(set.contains(HUGE_VAL));
    Interval infinite;
    infinite.add(HUGE_VAL);
    EXPECT_TRUE(intervals::rounded(infinite, Number::e4m3).contains(NAN));
}

// Every choice of SUMS lies in the interval that the exact sums have.
TEST(Deviations, HoldTheSumsOfUnits) {
    using namespace matrices;
    Intervals intervals;
    const auto shadow = makeShadow(Settings{.intervals = &intervals});
    Generator random(5);
    constexpr Choice kChoices[] = {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial,
                                   Choice::kAda,   Choice::kHopper,   Choice::kCdna3,
                                   Choice::kRdna4};
    constexpr Number kFactors[] = {Number::f16, Number::bf16, Number::e4m3, Number::e5m2};
    for (const Number factor : kFactors) {
        for (const Number result : {Number::f32, Number::f16}) {
            const auto matrix = [&](Number number, uint32_t rows, uint32_t columns) {
                return Matrix(number, rows, columns, [&](uint32_t, uint32_t) {
                    const double value = numberFrom(random, kShapes[0], 3);
                    return Element{numbers::bitsOf(number, value)};
                });
            };
            const Matrix a = matrix(factor, 16, 32), b = matrix(factor, 32, 16);
            const Matrix c = matrix(result, 16, 16);
            for (const Choice choice : kChoices) {
                // This unit keeps 13 bits of such products: it has intervals of its own.
                const bool isShort = choice == Choice::kAda && numbers::format(factor).bits == 8;
                SumRule rule{.result = result, .order = isShort ? choice : Choice::kExact};
                rule.shadow = shadow.get();
                const Matrix exact = multiplyAdd(a, b, c, rule);
                const Matrix other = multiplyAdd(a, b, c, {.result = result, .order = choice});
                for (size_t e = 0; e < exact.elements.size(); ++e) {
                    const Element& element = exact.elements[e];
                    const Interval set = intervalOf(element.deviation, result, element.bits);
                    ASSERT_TRUE(set.contains(numbers::valueOf(result, other.elements[e].bits)))
                        << numbers::format(factor).name << " " << int(choice);
                }
            }
        }
    }
}

// The median width is at most that of what so many orders gave, times this.
TEST(Deviations, AreNotMuchWiderThanSums) {
    Generator random(3);
    std::vector<double> shares;
    for (int i = 0; i < 60; ++i) {
        const Terms terms = termsFrom(random, kShapes[0], kShapes[0], 16);
        const Interval bounds = boundsOf(kShapes[0], terms);
        Interval seen;
        for (int order = 0; order < 200; ++order)
            for (const Way way : {Way::kDown, Way::kUp})
                seen.add(sumOf(random, kShapes[0], terms, way));
        if (seen.high > seen.low)
            shares.push_back((bounds.high - bounds.low) / (seen.high - seen.low));
    }
    std::ranges::sort(shares);
    RecordProperty("median", std::to_string(shares[shares.size() / 2]));
    EXPECT_LT(shares[shares.size() / 2], 4);
}

}  // namespace
}  // namespace coopvk::reference::intervals_test
