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
#include "unit_sums_read.hpp"

namespace coopvk::reference::unit_sums_test {
namespace {

using Real = long double;

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
    bool isApart = false;  // 8-bit floats of a Hopper
};
constexpr UnitCase kUnits[] = {
    {Choice::kAda, Number::f16, Number::f32, 8, 24, 23, -132},
    {Choice::kAda, Number::f16, Number::f16, 8, 24, 10, -132},
    {Choice::kAda, Number::e4m3, Number::f32, 16, 13, 13, -132},
    {Choice::kAda, Number::e5m2, Number::f16, 16, 13, 10, -132},
    {Choice::kHopper, Number::f16, Number::f32, 16, 25, 23, -133},
    {Choice::kHopper, Number::bf16, Number::f32, 16, 25, 23, -133},
    {Choice::kHopper, Number::f16, Number::f16, 16, 25, 10, -133},
    {Choice::kHopper, Number::e4m3, Number::f32, 16, 25, 23, -133, true},
    {Choice::kHopper, Number::e5m2, Number::f16, 16, 25, 10, -133, true},
};

// Two products of f16, each with two of every four numbers, from zero on; then an addition.
uint64_t apart(const UnitCase& u, const Case& c) {
    Case halves{c.factor, c.result, {}, {}, 0};
    for (const size_t half : {0u, 1u})
        for (size_t k = 0; k < c.a.size(); ++k) {
            if (k / 2 % 2 != half) continue;
            halves.a.push_back(c.a[k]);
            halves.b.push_back(c.b[k]);
        }
    uint64_t sum = 0;
    for (size_t k = 0; k < c.a.size(); k += u.block)
        sum = step(halves, k, u.block, sum, u.bits, u.mantissa, u.ofZero);
    const double both = numbers::valueOf(c.result, sum) + numbers::valueOf(c.result, c.c);
    return numbers::bitsOf(c.result, both);
}

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
            if (u.isApart) expected = apart(u, c);
            ASSERT_EQ(computed(u.unit, c), expected) << "unit " << int(u.unit) << ", case " << i;
        }
    }
}

Real floored(Real value, int unit) {
    return std::ldexp(std::floor(std::ldexp(value, -unit)), unit);
}

// Products that are cut 24 bits below the largest exponent, and that exponent.
struct Products {
    Real sum = 0;
    int exponent;
};
Products productsOf(const Case& c, size_t first, size_t count, size_t apart) {
    std::vector<std::pair<Real, int>> terms;
    for (size_t k = first; k < first + count; k += apart)
        terms.emplace_back(
            Real(numbers::valueOf(c.factor, c.a[k])) * Real(numbers::valueOf(c.factor, c.b[k])),
            exponentOf(c.factor, c.a[k], -999) + exponentOf(c.factor, c.b[k], -999));
    Products result{0, -999};
    for (const auto& term : terms)
        if (term.first != 0) result.exponent = std::max(result.exponent, term.second);
    for (const auto& term : terms) result.sum += cut(term.first, result.exponent - 24);
    return result;
}

// One step of CDNA 3. MMA-Sim's public source says what its table does not: 8-bit floats leave out
// a sum whose exponent is more than 25 below the products'; others, and that of f16 and bf16, lose
// bits downwards.
uint64_t stepOfCdna3(const Case& c, size_t first, size_t count, uint64_t sum) {
    const bool inHalves = numbers::format(c.factor).bits == 8;
    Products products = productsOf(c, first, count, inHalves ? 2 : 1);
    if (inHalves) {
        const Products odd = productsOf(c, first + 1, count - 1, 2);
        const int larger = std::max(products.exponent, odd.exponent);
        products = {floored(products.sum, larger - 24) + floored(odd.sum, larger - 24), larger};
    }
    const int exponent = exponentOf(c.result, sum, -126);
    const int largest = std::max(products.exponent, exponent);
    Real total = floored(products.sum, largest - 52);
    if (!inHalves || exponent >= largest - 25)
        total += floored(numbers::valueOf(c.result, sum), largest - 24);
    if (total == 0) return 0;
    return std::bit_cast<uint32_t>(float(floored(total, std::max(std::ilogb(total), -126) - 31)));
}

// One step of RDNA 4: two products and the sum, rounded once.
uint64_t stepOfRdna4(const Case& c, size_t first, uint64_t sum) {
    double total = numbers::valueOf(c.result, sum);  // 53 bits are enough for these numbers
    for (const size_t k : {first, first + 1})
        total += numbers::valueOf(c.factor, c.a[k]) * numbers::valueOf(c.factor, c.b[k]);
    return total == 0 ? 0 : numbers::bitsOf(c.result, total);
}

TEST(UnitSums, OfAmd) {
    std::mt19937_64 random(7);
    const auto number = [&](int spread, int lower = 0) {
        const double magnitude = std::ldexp(1 + double(random() >> 40) * 0x1p-24,
                                            int(random() % (2 * spread + 1)) - spread - lower);
        return random() % 8 == 0 ? 0.0 : random() % 2 == 0 ? magnitude : -magnitude;
    };
    for (const Number factor : {Number::f16, Number::bf16, Number::e4m3, Number::e5m2}) {
        for (int i = 0; i < 250; ++i) {
            Case c{factor, Number::f32, {}, {}, 0};
            const int spread = 1 << random() % 3;
            for (int k = 0; k < 32; ++k) {
                c.a.push_back(numbers::bitsOf(factor, number(spread)));
                c.b.push_back(numbers::bitsOf(factor, number(spread)));
            }
            // Often beside the products, sometimes near or below what these keep.
            c.c = numbers::bitsOf(Number::f32, number(4, i % 2 == 0 ? 0 : 8 + i % 32));
            const size_t block = numbers::format(factor).bits == 8 ? 16 : 8;
            uint64_t ofCdna3 = c.c, ofRdna4 = c.c;
            for (size_t k = 0; k < 32; k += block) ofCdna3 = stepOfCdna3(c, k, block, ofCdna3);
            ASSERT_EQ(computed(Choice::kCdna3, c), ofCdna3) << i;
            if (i % 2 != 0) continue;
            for (size_t k = 0; k < 32; k += 2) ofRdna4 = stepOfRdna4(c, k, ofRdna4);
            ASSERT_EQ(computed(Choice::kRdna4, c), ofRdna4) << i;
            if (factor != Number::f16) continue;
            c.result = Number::f16;
            uint64_t ofHalves = c.c = numbers::bitsOf(Number::f16, number(4));
            for (size_t k = 0; k < 32; k += 2) ofHalves = stepOfRdna4(c, k, ofHalves);
            ASSERT_EQ(computed(Choice::kRdna4, c), ofHalves) << i;
        }
    }
}

// 2^24 + 1 - 2^24: rounded once it is 1, and 0 if the first two are rounded.
TEST(UnitSums, StepsOfAnyLength) {
    const auto ofSteps = [](uint32_t block) {
        std::vector<Factor> a, b;
        for (const auto& [x, y] : {std::pair(0x1p12, 0x1p12), {1, 1}, {-0x1p12, 0x1p12}}) {
            a.push_back(factorOf(Number::f16, numbers::bitsOf(Number::f16, x)));
            b.push_back(factorOf(Number::f16, numbers::bitsOf(Number::f16, y)));
        }
        return std::bit_cast<float>(uint32_t(addProducts({.block = block}, a, b, 0, Number::f32)));
    };
    EXPECT_EQ(ofSteps(0), 1);
    EXPECT_EQ(ofSteps(3), 1);
    EXPECT_EQ(ofSteps(1), 0);
    EXPECT_EQ(ofSteps(2), 0);
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
