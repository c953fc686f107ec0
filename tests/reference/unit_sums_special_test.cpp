// SPDX-License-Identifier: Apache-2.0
// Sums of matrix units: what is not finite, in either factor, in each kind of unit; and models that
// no unit in the table has, but the search for one may try (unit_sums.hpp says what their members
// mean).
#include <gtest/gtest.h>

#include <bit>

#include "coopvk_reference/unit_sums.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::unit_sums_special_test {
namespace {

using numbers::Number;

uint64_t sumOf(const SumModel& model, const std::vector<uint64_t>& a,
               const std::vector<uint64_t>& b, uint64_t sum, Number factor = Number::f16,
               Number result = Number::f32) {
    std::vector<Factor> x, y;
    for (const uint64_t bits : a) x.push_back(factorOf(factor, bits));
    for (const uint64_t bits : b) y.push_back(factorOf(factor, bits));
    return addProducts(model, x, y, sum, result);
}

constexpr uint64_t kOne = 0x3C00, kInfinity = 0x7C00, kNan = 0x7E01, kSign = 0x8000;
constexpr uint32_t kInfinity32 = 0x7F800000, kSign32 = 0x80000000, kOne32 = 0x3F800000;

bool isNan32(uint64_t bits) { return (bits & ~uint64_t{kSign32}) > kInfinity32; }

// IEEE 754: an infinity times a number is an infinity with the product's sign, times zero NaN;
// infinities of both signs have no sum.
TEST(SpecialSums, ProductsThatAreNotFinite) {
    for (const Choice unit : {Choice::kAda, Choice::kHopper, Choice::kCdna3, Choice::kRdna4}) {
        const SumModel model = *sumModel(unit, Number::f16, Number::f32);
        EXPECT_EQ(sumOf(model, {kInfinity}, {kOne}, kOne32), kInfinity32);
        EXPECT_EQ(sumOf(model, {kOne}, {kInfinity}, kOne32), kInfinity32);
        EXPECT_EQ(sumOf(model, {kOne | kSign}, {kInfinity}, kOne32), kInfinity32 | kSign32);
        EXPECT_EQ(sumOf(model, {kInfinity | kSign}, {kInfinity | kSign}, kOne32), kInfinity32);
        EXPECT_TRUE(isNan32(sumOf(model, {0}, {kInfinity}, kOne32)));
        EXPECT_TRUE(isNan32(sumOf(model, {kInfinity}, {kSign}, kOne32)));
        EXPECT_TRUE(isNan32(sumOf(model, {kOne}, {kNan}, kOne32)));
        EXPECT_TRUE(isNan32(sumOf(model, {kNan}, {0}, kOne32)));
        EXPECT_TRUE(isNan32(sumOf(model, {kInfinity, kOne}, {kOne, kInfinity | kSign}, kOne32)));
        EXPECT_TRUE(isNan32(sumOf(model, {kOne}, {kInfinity}, kInfinity32 | kSign32)));
        EXPECT_EQ(sumOf(model, {kOne}, {kOne}, kInfinity32 | kSign32), kInfinity32 | kSign32);
    }
    // Pairs that a Hopper adds apart: of 8-bit floats.
    const SumModel pairs = *sumModel(Choice::kHopper, Number::e5m2, Number::f32);
    constexpr uint64_t kOne8 = 0x3C, kInfinity8 = 0x7C, kNan8 = 0x7E;
    EXPECT_EQ(sumOf(pairs, {kOne8}, {kInfinity8}, kOne32, Number::e5m2), kInfinity32);
    EXPECT_EQ(sumOf(pairs, {kOne8}, {kNan8}, kOne32, Number::e5m2), 0x7FFFFFFFu);
    EXPECT_EQ(sumOf(pairs, {kOne8}, {kInfinity8}, kInfinity32 | kSign32, Number::e5m2),
              0x7FFFFFFFu);
}

// CDNA 3 gives each product the range of f32: of bfloat16, 2^64 times 2^64 is too large, also
// where a term of the other sign would bring it back.
TEST(SpecialSums, ProductsBeyondTheRange) {
    const SumModel model = *sumModel(Choice::kCdna3, Number::bf16, Number::f32);
    constexpr uint64_t kLarge = 0x5F80, kHalfOfIt = 0x5F00;  // 2^64, 2^63
    const auto bf16 = [&](uint64_t a, uint64_t b, uint64_t sum) {
        return sumOf(model, {a}, {b}, sum, Number::bf16);
    };
    EXPECT_EQ(bf16(kLarge, kLarge, 0xFF000000), kInfinity32);  // -2^127
    EXPECT_EQ(bf16(kLarge | kSign, kLarge, 0), kInfinity32 | kSign32);
    EXPECT_EQ(bf16(kHalfOfIt, kLarge, 0), 0x7F000000u);  // 2^127
}

// Terms keep two bits below the largest exponent: of 4 and -1/2 that is 1.
TEST(SpecialSums, BitsThatAreDroppedDown) {
    SumModel model{.block = 4, .bits = 2};
    constexpr uint64_t kFour = 0x4400, kHalf = 0x3800;
    const auto value = [&](uint64_t small, bool down) {
        model.dropsDown = down;
        return std::bit_cast<float>(uint32_t(sumOf(model, {kFour, small}, {kOne, kOne}, 0)));
    };
    EXPECT_EQ(value(kHalf, false), 4);
    EXPECT_EQ(value(kHalf, true), 4);
    EXPECT_EQ(value(kHalf | kSign, false), 4);
    EXPECT_EQ(value(kHalf | kSign, true), 3);
    EXPECT_EQ(value(kOne | kSign, true), 3);  // nothing is dropped
}

// Steps of one product to an f16 sum: 2048 and three times 1. Rounded to f16 after each step it
// stays at 2048, whose next number is 2050; in f32 it is 2051, rounded at the end to 2052, of which
// the last bit is even.
TEST(SpecialSums, SumsInSinglesUntilTheEnd) {
    SumModel model{.block = 1};
    constexpr uint64_t k2048 = 0x6800, k2052 = 0x6802;
    const auto value = [&](bool inSingle) {
        model.inSingle = inSingle;
        return sumOf(model, {kOne, kOne, kOne}, {kOne, kOne, kOne}, k2048, Number::f16,
                     Number::f16);
    };
    EXPECT_EQ(value(false), k2048);
    EXPECT_EQ(value(true), k2052);
}

// CDNA 3 adds every other product of 8-bit floats first, and drops bits of a sum of products toward
// zero, of sums of these downwards: -2^-30 beside 1 borrows the last of 24 bits only if it is in
// the other half. An addend below the half of that bit borrows nothing, but with f16 it does.
TEST(SpecialSums, HalvesOfAStep) {
    constexpr uint64_t kOne8 = 0x3C, kSmall8 = 0x02, kSign8 = 0x80;  // 1, 2^-15
    constexpr uint32_t kBelowOne32 = 0x3F7FFFFF, kQuarter32 = 0x33000000, kEighth32 = 0x32800000;
    const SumModel bytes = *sumModel(Choice::kCdna3, Number::e5m2, Number::f32),
                   halves = *sumModel(Choice::kCdna3, Number::f16, Number::f32);
    const auto of = [&](const std::vector<uint64_t>& a, const std::vector<uint64_t>& b,
                        uint64_t sum) { return sumOf(bytes, a, b, sum, Number::e5m2); };
    EXPECT_EQ(of({kOne8, kSmall8 | kSign8}, {kOne8, kSmall8}, 0), kBelowOne32);
    EXPECT_EQ(of({kOne8, 0, kSmall8 | kSign8}, {kOne8, 0, kSmall8}, 0), kOne32);
    EXPECT_EQ(of({kOne8, 0, 0, kSmall8 | kSign8}, {kOne8, 0, 0, kSmall8}, 0), kBelowOne32);
    EXPECT_EQ(of({kOne8}, {kOne8}, kQuarter32 | kSign32), kBelowOne32);  // -2^-25
    EXPECT_EQ(of({kOne8}, {kOne8}, kEighth32 | kSign32), kOne32);        // -2^-26
    EXPECT_EQ(sumOf(halves, {kOne}, {kOne}, kEighth32 | kSign32), kBelowOne32);
}

// A product with a zero has no bits, whatever exponent the other factor has: 2^-28 stays beside it.
TEST(SpecialSums, ProductsOfZero) {
    constexpr uint64_t kLarge = 0x7800, kSmall = 0x0400;  // 2^15, 2^-14
    for (const Choice unit : {Choice::kAda, Choice::kHopper, Choice::kCdna3, Choice::kRdna4}) {
        const SumModel model = *sumModel(unit, Number::f16, Number::f32);
        EXPECT_EQ(sumOf(model, {0, kSmall}, {kLarge, kSmall}, 0), 0x31800000u);
        EXPECT_EQ(sumOf(model, {kSmall, kLarge | kSign}, {kSmall, 0}, 0), 0x31800000u);
        EXPECT_EQ(sumOf(model, {0}, {kLarge}, 0x31800000), 0x31800000u);
    }
}

}  // namespace
}  // namespace coopvk::reference::unit_sums_special_test
