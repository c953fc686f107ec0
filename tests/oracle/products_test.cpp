// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixMulAddKHR with all component types: floats within what any order and precision
// permits, and in the device's intervals; integers exactly.
#include "products.hpp"

#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"

namespace coopvk::oracle::products_test {
namespace {

using reference::Choice;

Terms termsOf(const Product& product, const Operands& operands, size_t i) {
    Terms terms;
    eachFactor(i, [&](size_t a, size_t b) {
        terms.products.emplace_back(valueOf(product.a, operands.a[a]),
                                    valueOf(product.b, operands.b[b]));
    });
    terms.addends.push_back(valueOf(product.c, operands.c[i]));
    return terms;
}

const Product kFloatProducts[] = {
    {kF16, kF16, kF16, kF16, ""},     {kF16, kF16, kF32, kF32, ""},
    {kF16, kF16, kF16, kF32, ""},     {kF16, kF16, kF32, kF16, ""},
    {kBf16, kBf16, kBf16, kBf16, ""}, {kBf16, kBf16, kF32, kF32, ""},
    {kF32, kF32, kF32, kF32, ""},     {kE4m3, kE4m3, kF32, kF32, ""},
    {kE4m3, kE4m3, kF16, kF16, ""},   {kE5m2, kE5m2, kF32, kF32, ""},
    {kE5m2, kE5m2, kF16, kF16, ""},   {kE4m3, kE5m2, kF32, kF32, ""},
    {kF64, kF64, kF64, kF64, ""},
};

class FloatProducts : public testing::TestWithParam<Product> {
 protected:
    size_t groups = test::runsAll() ? 200 : 4;
    Random random{17};
};

bool areAlike(const Real& a, const Real& b) { return areSame(a, b) || (a.isZero() && b.isZero()); }

TEST_P(FloatProducts, AreExactWhereTheDeviceSumsExactly) {
    const Product& product = GetParam();
    for (const Data data : kAllData) {
        const Operands operands = operandsOf(product, data, groups, random);
        const Outcome outcome = outcomeOf(product, operands, Choice::kExact, false);
        for (size_t i = 0; i < outcome.bits.size(); ++i) {
            const Real exact = exactSum(termsOf(product, operands, i));
            const Real expected = round(product.result, exact);
            const Real value = valueOf(product.result, outcome.bits[i]);
            ASSERT_TRUE(areAlike(value, expected))
                << textOf(value) << ", not " << textOf(expected) << ", data " << int(data);
        }
    }
}

TEST_P(FloatProducts, AreWithinAnyOrderAndPrecision) {
    const Product& product = GetParam();
    for (const Choice sums : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial}) {
        for (const Data data : kAllData) {
            const Operands operands = operandsOf(product, data, groups, random);
            const Outcome outcome = outcomeOf(product, operands, sums, false);
            for (size_t i = 0; i < outcome.bits.size(); ++i) {
                const Permitted set = permitted(product.result, termsOf(product, operands, i));
                const Real value = valueOf(product.result, outcome.bits[i]);
                ASSERT_TRUE(set.contains(value))
                    << textOf(value) << " is not in [" << textOf(set.low) << ", "
                    << textOf(set.high) << "], sums " << int(sums) << ", data " << int(data);
            }
        }
    }
}

TEST_P(FloatProducts, HaveIntervalsThatHoldAllOrders) {
    const Product& product = GetParam();
    for (const Data data : kAllData) {
        const Operands operands = operandsOf(product, data, groups, random);
        const Outcome outcome = outcomeOf(product, operands, Choice::kPlain, true);
        for (size_t i = 0; i < outcome.bits.size(); ++i) {
            const Terms terms = termsOf(product, operands, i);
            const Real exact = round(product.result, exactSum(terms));
            ASSERT_TRUE(contains(outcome.intervals[i], exact))
                << textOf(exact) << " is not in " << textOf(outcome.intervals[i]) << ", data "
                << int(data);
            for (int order = 0; order < 16; ++order) {
                const Real value = sampled(product.result, terms, random);
                ASSERT_TRUE(contains(outcome.intervals[i], value))
                    << textOf(value) << " is not in " << textOf(outcome.intervals[i]) << ", data "
                    << int(data);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Oracle, FloatProducts, testing::ValuesIn(kFloatProducts),
                         [](const auto& given) { return nameOf(given.param); });

struct Signs {
    bool a, b, c, result;
};

// Sign- or zero-extended, as the operand says, whatever the type.
Real extended(const Format& format, uint64_t bits, bool isSigned) {
    Format as = isSigned ? kS64 : kU64;
    as.bits = format.bits;
    as.precision = format.bits - int(isSigned);
    return valueOf(as, bits);
}

std::string operandsText(const Signs& signs, bool saturates) {
    std::string text;
    const std::pair<bool, const char*> bits[] = {{signs.a, "MatrixASignedComponentsKHR"},
                                                 {signs.b, "MatrixBSignedComponentsKHR"},
                                                 {signs.c, "MatrixCSignedComponentsKHR"},
                                                 {signs.result, "MatrixResultSignedComponentsKHR"},
                                                 {saturates, "SaturatingAccumulationKHR"}};
    for (const auto& [isSet, name] : bits)
        if (isSet) text += (text.empty() ? "" : "|") + std::string(name);
    return text.empty() ? "NoneKHR" : text;
}

// "the low-order N bits of the correct result R"
uint64_t lowBits(const Real& value, int bits) {
    const Real modulus = Real(1).scaled(bits);
    const Real whole = value.scaled(-bits).whole(Direction::kDown);
    return (value - whole * modulus).magnitude();
}

class IntegerProducts : public testing::Test {
 protected:
    Random random{23};
    size_t groups = 2;

    // -1: the text leaves the result undefined.
    std::optional<uint64_t> expected(const Product& product, const Operands& operands, size_t i,
                                     const Signs& signs, bool saturates) {
        Real sum(0);
        eachFactor(i, [&](size_t a, size_t b) {
            sum = sum + extended(product.a, operands.a[a], signs.a) *
                            extended(product.b, operands.b[b], signs.b);
        });
        const Real c = extended(product.c, operands.c[i], signs.c);
        if (!saturates) return lowBits(sum + c, product.result.bits);
        const Format& in = signs.result ? kS32 : kU32;
        if (!(round(in, sum) == sum)) return std::nullopt;
        return bitsOf(in, round(in, sum + c));
    }

    void expectProducts(const Product& types, const Signs& signs, bool saturates) {
        const Product product = {types.a, types.b, types.c, types.result,
                                 operandsText(signs, saturates)};
        SCOPED_TRACE(nameOf(product) + " " + product.operands);
        for (const Data data : {Data::kPatterns, Data::kExtremes, Data::kSpread}) {
            const Operands operands = operandsOf(product, data, groups, random);
            const Outcome outcome = outcomeOf(product, operands, Choice::kPlain, false);
            for (size_t i = 0; i < outcome.bits.size(); ++i) {
                const auto bits = expected(product, operands, i, signs, saturates);
                ASSERT_EQ(outcome.bits[i], bits.value_or(outcome.bits[i])) << "element " << i;
            }
        }
    }
    Signs anySigns() {
        const uint64_t bits = random();
        return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    }
};

TEST_F(IntegerProducts, KeepTheLowBits) {
    const Format* const factors[] = {&kS4, &kU4, &kS8, &kU8, &kS16, &kU16};
    const Format* const results[] = {&kS32, &kU32};
    for (const Format* a : factors)
        for (const Format* b : factors)
            for (const Format* result : results)
                expectProducts({*a, *b, *result, *result, ""}, anySigns(), false);
    expectProducts({kS8, kS8, kS64, kS64, ""}, {true, true, true, true}, false);
    expectProducts({kS8, kU8, kS16, kS16, ""}, {true, false, true, true}, false);
    expectProducts({kS8, kS8, kS8, kS8, ""}, {true, true, true, true}, false);
    expectProducts({kS32, kU32, kS32, kU32, ""}, {true, false, true, true}, false);
}

TEST_F(IntegerProducts, SaturateWhereDecorated) {
    for (const Format* factor : {&kS4, &kU4, &kS8, &kU8})
        for (const Format* result : {&kS32, &kU32}) {
            expectProducts({*factor, *factor, *result, *result, ""}, {true, true, true, true},
                           true);
            expectProducts({*factor, *factor, *result, *result, ""}, {false, false, false, false},
                           true);
        }
}

}  // namespace
}  // namespace coopvk::oracle::products_test
