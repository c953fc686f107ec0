// SPDX-License-Identifier: Apache-2.0
// Sums of matrix units. Expected values are from the words of "MMA-Sim" (arXiv 2511.10909): by
// hand, and by the same words in long double, which represents every step of these numbers exactly.
#include "coopvk_reference/unit_sums.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "matrices/matrix.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::unit_sums_test {
namespace {

using numbers::Number;
using Real = long double;

struct Case {
    Number factor, result;
    std::vector<uint64_t> a, b;
    uint64_t c = 0;
};

uint64_t computed(Choice unit, const Case& c) {
    std::vector<Factor> a, b;
    for (const uint64_t bits : c.a) a.push_back(factorOf(c.factor, bits));
    for (const uint64_t bits : c.b) b.push_back(factorOf(c.factor, bits));
    return addProducts(*sumModel(unit, c.factor, c.result), a, b, c.c, c.result);
}

// K products x * y, and an addend, as numbers.
float sumOf(Choice unit, uint32_t k, Number factor, double x, double y, float addend) {
    Case c{factor, Number::f32, {}, {}, std::bit_cast<uint32_t>(addend)};
    c.a.assign(k, numbers::bitsOf(factor, x));
    c.b.assign(k, numbers::bitsOf(factor, y));
    return std::bit_cast<float>(uint32_t(computed(unit, c)));
}

TEST(UnitSums, TermsKeepFewBits) {
    // 16 times 2^-25 beside 1: 25 bits below 1 keep them, 24 do not.
    EXPECT_EQ(sumOf(Choice::kHopper, 16, Number::f16, 0x1p-12, 0x1p-13, 1), 1 + 0x1p-21f);
    EXPECT_EQ(sumOf(Choice::kAda, 16, Number::f16, 0x1p-12, 0x1p-13, 1), 1);
    EXPECT_EQ(sumOf(Choice::kHopper, 16, Number::f16, 0x1p-13, 0x1p-13, 1), 1);
    // Three quarters of the last bit, which is 2^-23: cut, not rounded.
    EXPECT_EQ(sumOf(Choice::kHopper, 1, Number::f16, 0x1.8p-12, 0x1p-12, 1), 1);
    EXPECT_EQ(sumOf(Choice::kHopper, 1, Number::f16, 0x1.8p-12, -0x1p-12, -1), -1);
    // 8-bit floats of an Ada: 13 bits, also of the result.
    EXPECT_EQ(sumOf(Choice::kAda, 32, Number::e4m3, 0x1p-7, 0x1p-7, 1), 1);
    EXPECT_EQ(sumOf(Choice::kAda, 32, Number::e4m3, 0x1p-7, 0x1p-6, 1), 1 + 0x1p-8f);
    EXPECT_EQ(sumOf(Choice::kHopper, 32, Number::e4m3, 0x1p-7, 0x1p-7, 1), 1 + 0x1p-9f);
    // CDNA 3 drops downwards what its last stages do not keep: -2^-40 beside 1 is a borrow, which
    // 31 bits keep, and rounding to nearest gives 1 again.
    EXPECT_EQ(sumOf(Choice::kCdna3, 1, Number::f16, -0x1p-20, 0x1p-20, 1), 1);
    EXPECT_EQ(sumOf(Choice::kCdna3, 1, Number::f16, 0x1p-12, 0x1p-12, 1), 1);
    EXPECT_EQ(sumOf(Choice::kCdna3, 1, Number::f16, 0x1.8p-12, 0x1p-12, 1), 1 + 0x1p-23f);
}

TEST(UnitSums, InfinitiesAndNan) {
    const auto f16 = [](uint64_t a, uint64_t b, uint64_t c) {
        return computed(Choice::kHopper, {Number::f16, Number::f32, {a}, {b}, c});
    };
    constexpr uint64_t kOne = 0x3C00, kInfinity = 0x7C00, kNan = 0x7E01;
    EXPECT_EQ(f16(kInfinity, kOne, 0), 0x7F800000u);
    EXPECT_EQ(f16(kInfinity, kOne | 0x8000, 0), 0xFF800000u);
    EXPECT_EQ(f16(kInfinity, 0, 0), 0x7FFFFFFFu);
    EXPECT_EQ(f16(kInfinity, kOne, 0xFF800000), 0x7FFFFFFFu);
    EXPECT_EQ(f16(kNan, kOne, 0), 0x7FFFFFFFu);
    EXPECT_EQ(f16(kOne, kOne, 0xFFC00000), 0x7FFFFFFFu);
    // 65504 and 16 round to infinity in f16, 65504 and 15 do not.
    const auto half = [](uint64_t addend) {
        return computed(Choice::kHopper, {Number::f16, Number::f16, {0x7BFF}, {kOne}, addend});
    };
    EXPECT_EQ(half(0x4C00), 0x7C00u);
    EXPECT_EQ(half(0x4B80), 0x7BFFu);
}

// What an H200 gave (driver 580.159.04).
const std::pair<Case, uint64_t> kRead[] = {
    // normal
    {{Number::f16,
      Number::f16,
      {0x31f5, 0x3ebb, 0x3843, 0xbe81, 0xba83, 0x3789, 0xb643, 0x38d7},
      {0x3d93, 0xb8ad, 0xad39, 0xbf0b, 0x3cc4, 0xbc62, 0xab8c, 0xb571},
      0x3930},
     0x3c4d},
    // sparse
    {{Number::f16,
      Number::f16,
      {0, 0, 0xec09, 0x8000, 0x6097, 0, 0x8246, 0x3c0},
      {0, 0x26b6, 0, 0x8000, 0x8000, 0x6ad1, 0x5c60, 0x8000},
      0x65fe},
     0x65fe},
    // a negative sum that is zero in f16
    {{Number::f16,
      Number::f16,
      {0x8fb1, 0x8000, 0x3e8, 0, 0x8000, 0x8000, 0x8000, 0x8000},
      {0, 0xf8b2, 0x8252, 0x7985, 0, 0xcf2a, 0x8000, 0},
      0x0},
     0x0},
    // a negative sum that is zero in f16
    {{Number::f16,
      Number::f16,
      {0x8b65, 0, 0, 0x8000, 0x28cd, 0x708b, 0x8000, 0x642d},
      {0x60, 0, 0x8000, 0xc8dd, 0x8000, 0, 0, 0x8000},
      0x0},
     0x0},
    // a negative sum that is zero in f16
    {{Number::f16,
      Number::f16,
      {0xdff1, 0x5919, 0x8d03, 0x1abc, 0xc101, 0, 0x81a4, 0x8000},
      {0, 0x8000, 0x811d, 0, 0x8000, 0x8000, 0xb60, 0x8000},
      0x8000},
     0x0},
    // cancelling
    {{Number::f16,
      Number::f16,
      {0x3e00, 0xbe00, 0xbd7a, 0x3d7b, 0x2d49, 0xad48, 0x3cb1, 0xbcb1},
      {0x39b7, 0x39b7, 0xb246, 0xb246, 0xb472, 0xb472, 0x3725, 0x3725},
      0x2119},
     0x20fe},
    // denormals
    {{Number::f16,
      Number::f16,
      {0x834e, 0x801d, 0x347, 0x8098, 0x83e9, 0xdb66, 0xdf, 0x8282},
      {0x27d, 0x81bd, 0x8292, 0x39f2, 0x62, 0x2f5, 0x8376, 0xa6},
      0x834f},
     0xa180},
    // infinities and NaN
    {{Number::f16,
      Number::f16,
      {0xa576, 0x3a84, 0x3cef, 0xba2e, 0x7d35, 0xbf78, 0xb87d, 0x326f},
      {0x30fe, 0xbc1d, 0x385c, 0xb98d, 0x3a37, 0x393d, 0xc034, 0xba44},
      0xb3fa},
     0x7fff},
    // normal
    {{Number::f16,
      Number::f32,
      {0xada3, 0x3968, 0x3e32, 0x3d2c, 0xb9aa, 0x3cbd, 0x4169, 0x3c7e},
      {0xb3b7, 0xbfdb, 0xba6a, 0xbbd6, 0xb909, 0xbeac, 0x2255, 0x3a14},
      0xbac1bfd3},
     0xc08eb132},
    // sparse
    {{Number::f16,
      Number::f32,
      {0, 0x3a50, 0x8000, 0x8000, 0, 0xc671, 0x8000, 0x8000},
      {0x38dc, 0x8000, 0x8000, 0x8000, 0x8000, 0xd010, 0x8000, 0xc339},
      0xb8d5fea6},
     0x43515879},
    // cancelling
    {{Number::f16,
      Number::f32,
      {0x39dd, 0xb9dd, 0x2d7b, 0xad7a, 0x3db3, 0xbdb2, 0x3de6, 0xbde6},
      {0x3a0b, 0x3a0b, 0x39ae, 0x39ae, 0x3e8b, 0x3e8b, 0x3d40, 0x3d40},
      0xb1d77a84},
     0x3ad70e00},
    // denormals
    {{Number::f16,
      Number::f32,
      {0x8067, 0x19dc, 0x827f, 0xe207, 0x82c8, 0x8324, 0x2c0, 0x81f1},
      {0x10a4, 0x804e, 0x2916, 0x8184, 0x2554, 0x8067, 0x15d, 0x8a},
      0x4192aff},
     0x3c9224b1},
    // infinities and NaN
    {{Number::f16,
      Number::f32,
      {0xb509, 0xb2cf, 0xbc4c, 0xb04c, 0x3c15, 0xbded, 0x34a6, 0xaa46},
      {0xbcd4, 0xacd3, 0xbd20, 0xb996, 0xbd59, 0xba78, 0x3426, 0xb2a9},
      0x3eb0593c},
     0x400849c8},
    // cancelling
    {{Number::bf16,
      Number::f32,
      {0x3fa0, 0xbfa0, 0xbf03, 0x3f02, 0xbf30, 0x3f31, 0x3ea8, 0xbea9, 0xbe8a, 0x3e8b, 0x3e8b,
       0xbe8b, 0x3e72, 0xbe73, 0x3dd5, 0xbdd5},
      {0x3d92, 0x3d92, 0x3e75, 0x3e75, 0xbe42, 0xbe42, 0xbf24, 0xbf24, 0x3f73, 0x3f73, 0x3eaf,
       0x3eaf, 0xc066, 0xc066, 0xbf32, 0xbf32},
      0x3435c1d2},
     0x3ba1e160},
};

TEST(UnitSums, OfAnH200) {
    for (const auto& [products, sum] : kRead)
        EXPECT_EQ(computed(Choice::kHopper, products), sum) << "c is " << products.c;
}

// The exponent of a number's bits, for zeros `ofZero`.
int exponentOf(Number number, uint64_t bits, int ofZero) {
    const numbers::Format& f = numbers::format(number);
    const Real value = std::abs(Real(numbers::valueOf(number, bits)));
    if (value == 0) return ofZero;
    return std::max(std::ilogb(value), 1 - f.bias);
}

Real cut(Real value, int unit) { return std::ldexp(std::trunc(std::ldexp(value, -unit)), unit); }

// One step of an NVIDIA unit.
uint64_t step(const Case& c, size_t first, size_t count, uint64_t sum, int bits, int mantissa,
              int ofZero) {
    std::vector<std::pair<Real, int>> terms;
    terms.emplace_back(numbers::valueOf(c.result, sum), exponentOf(c.result, sum, ofZero));
    for (size_t k = first; k < first + count; ++k) {
        const Real product =
            Real(numbers::valueOf(c.factor, c.a[k])) * Real(numbers::valueOf(c.factor, c.b[k]));
        terms.emplace_back(product, product == 0 ? ofZero
                                                 : exponentOf(c.factor, c.a[k], ofZero) +
                                                       exponentOf(c.factor, c.b[k], ofZero));
    }
    int largest = ofZero;
    for (const auto& term : terms) largest = std::max(largest, term.second);
    Real total = 0;
    for (const auto& term : terms) total += cut(term.first, largest - bits);
    if (c.result == Number::f16) {
        const uint64_t half = numbers::encode(c.result, numbers::fromDouble(double(total)));
        return half == 0x8000 ? 0 : half;
    }
    if (total == 0) return 0;
    const int top = std::max(std::ilogb(total), -126);
    return std::bit_cast<uint32_t>(float(cut(total, top - mantissa)));
}

struct UnitCase {
    Choice unit;
    Number factor, result;
    size_t block;
    int bits, mantissa, ofZero;
};
constexpr UnitCase kUnits[] = {
    {Choice::kAda, Number::f16, Number::f32, 8, 24, 23, -132},
    {Choice::kAda, Number::f16, Number::f16, 8, 24, 10, -132},
    {Choice::kAda, Number::e4m3, Number::f32, 16, 13, 13, -132},
    {Choice::kAda, Number::e5m2, Number::f16, 16, 13, 10, -132},
    {Choice::kHopper, Number::f16, Number::f32, 16, 25, 23, -133},
    {Choice::kHopper, Number::bf16, Number::f32, 16, 25, 23, -133},
    {Choice::kHopper, Number::f16, Number::f16, 16, 25, 10, -133},
    {Choice::kHopper, Number::e4m3, Number::f32, 16, 25, 23, -133},
};

TEST(UnitSums, AreThoseOfTheWords) {
    std::mt19937_64 random(5);
    for (const UnitCase& u : kUnits) {
        const numbers::Format& f = numbers::format(u.factor);
        for (int i = 0; i < 2000; ++i) {
            Case c{u.factor, u.result, {}, {}, 0};
            const auto number = [&](int spread) {
                const double magnitude = std::ldexp(1 + double(random() >> 40) * 0x1p-24,
                                                    int(random() % (2 * spread + 1)) - spread);
                return random() % 8 == 0 ? 0.0 : random() % 2 == 0 ? magnitude : -magnitude;
            };
            const int spread = f.bits == 8 ? 6 : 1 << random() % 4;
            for (int k = 0; k < 32; ++k) {
                c.a.push_back(numbers::bitsOf(u.factor, number(spread)));
                c.b.push_back(numbers::bitsOf(u.factor, number(spread)));
            }
            c.c = numbers::bitsOf(u.result, number(spread));
            uint64_t expected = c.c;
            for (size_t k = 0; k < 32; k += u.block)
                expected = step(c, k, u.block, expected, u.bits, u.mantissa, u.ofZero);
            ASSERT_EQ(computed(u.unit, c), expected) << "unit " << int(u.unit) << ", case " << i;
        }
    }
}

// The device's products of matrices are those sums, where the unit has such a product.
TEST(UnitSums, OfMatrices) {
    using matrices::Matrix;
    Matrix a(Number::f16, 1, 16), b(Number::f16, 16, 1), c(Number::f32, 1, 1);
    for (uint32_t k = 0; k < 16; ++k) {
        a.at(0, k).bits = numbers::bitsOf(Number::f16, 0x1p-12);
        b.at(k, 0).bits = numbers::bitsOf(Number::f16, 0x1p-13);
    }
    c.at(0, 0).bits = std::bit_cast<uint32_t>(1.0f);
    const auto product = [&](Choice sums) {
        return std::bit_cast<float>(
            uint32_t(matrices::multiplyAdd(a, b, c, {Number::f32, sums}).at(0, 0).bits));
    };
    EXPECT_EQ(product(Choice::kHopper), 1 + 0x1p-21f);
    EXPECT_EQ(product(Choice::kAda), 1);
    EXPECT_EQ(product(Choice::kPlain), 1 + 0x1p-21f);
    const Matrix integers =
        matrices::multiplyAdd(Matrix(Number::s8, 1, 1), Matrix(Number::s8, 1, 1),
                              Matrix(Number::s32, 1, 1), {Number::s32, Choice::kHopper});
    EXPECT_EQ(integers.at(0, 0).bits, 0u);
    EXPECT_FALSE(sumModel(Choice::kCdna3, Number::f16, Number::f16));
    EXPECT_FALSE(sumModel(Choice::kPlain, Number::f16, Number::f32));
}

}  // namespace
}  // namespace coopvk::reference::unit_sums_test
