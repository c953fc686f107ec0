// SPDX-License-Identifier: Apache-2.0
// Products, reductions and placement of matrices; expected values are from the extensions' texts.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices::matrices_test {
namespace {

template <typename F>
Matrix filled(Number number, uint32_t rows, uint32_t columns, F value) {
    Matrix matrix(number, rows, columns);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            matrix.at(r, c).bits = numbers::encodeDouble(number, value(r, c));
        }
    }
    return matrix;
}

double valueAt(const Matrix& matrix, uint32_t row, uint32_t column) {
    return numbers::decodeDouble(matrix.number, matrix.at(row, column).bits);
}

// SPV_KHR_cooperative_matrix, 2.2: each element is in one component of one invocation.
TEST(Placement, HoldsEachElementOnce) {
    for (const Choice choice : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial}) {
        for (const Shape shape : {Shape{16, 16, 2, 32}, Shape{8, 32, 0, 128}, Shape{5, 7, 1, 4},
                                  Shape{3, 3, 2, 64}, Shape{64, 32, 1, 4}}) {
            for (uint64_t seed = 0; seed < 4; ++seed) {
                const Placement placement(shape, {choice, choice}, seed);
                std::set<std::pair<uint32_t, uint32_t>> seen;
                for (uint32_t lane = 0; lane < shape.invocations; ++lane) {
                    for (uint32_t i = 0; i < placement.length(); ++i) {
                        const ElementPosition p = placement.position(lane, i);
                        if (!p.exists) continue;
                        EXPECT_LT(p.row, shape.rows);
                        EXPECT_LT(p.column, shape.columns);
                        EXPECT_TRUE(seen.insert({p.row, p.column}).second);
                    }
                }
                EXPECT_EQ(seen.size(), size_t(shape.rows) * shape.columns);
            }
        }
    }
}

TEST(Placement, DiffersByChoice) {
    const Shape shape{16, 16, 2, 32};
    const auto at = [&](Choice choice, uint64_t seed) {
        const ElementPosition p = Placement(shape, {choice, choice}, seed).position(3, 1);
        return std::pair(p.row, p.column);
    };
    EXPECT_EQ(at(Choice::kPlain, 1), std::pair(2u, 3u));  // element 32 + 3
    EXPECT_NE(at(Choice::kShuffled, 1), at(Choice::kShuffled, 2));
    EXPECT_NE(at(Choice::kAdversarial, 1), at(Choice::kPlain, 1));
}

// Small integers, so that no order of sums rounds.
TEST(Products, OfSmallNumbersAreExactInEachOrder) {
    const auto a = [](uint32_t r, uint32_t c) { return double(int(r * 3 + c * 5) % 7 - 3); };
    const auto b = [](uint32_t r, uint32_t c) { return double(int(r * 2 + c) % 5 - 2); };
    const auto c = [](uint32_t r, uint32_t col) { return double(r) - double(col); };
    for (const Number factor : {Number::f16, Number::bf16, Number::e4m3, Number::s8, Number::f32}) {
        const bool floats = numbers::format(factor).floating();
        const Number result = floats ? Number::f32 : Number::s32;
        for (const Choice order :
             {Choice::kPlain, Choice::kShuffled, Choice::kExact, Choice::kAdversarial}) {
            const Matrix product = multiplyAdd(filled(factor, 3, 16, a), filled(factor, 16, 5, b),
                                               filled(result, 3, 5, c), {result, order, 7});
            for (uint32_t row = 0; row < 3; ++row) {
                for (uint32_t column = 0; column < 5; ++column) {
                    double expected = c(row, column);
                    for (uint32_t k = 0; k < 16; ++k) expected += a(row, k) * b(k, column);
                    EXPECT_EQ(valueAt(product, row, column), expected);
                    EXPECT_TRUE(product.at(row, column).defined);
                }
            }
        }
    }
}

TEST(Products, OrdersDifferWhereSumsRound) {
    const auto one = [](uint32_t, uint32_t) { return 1.0; };
    const auto values = [](uint32_t, uint32_t k) {
        return k == 0 ? 0x1p24 : k == 1 ? 1.0 : -0x1p24;
    };
    const auto product = [&](Choice order, uint64_t seed) {
        return valueAt(
            multiplyAdd(filled(Number::f32, 1, 3, values), filled(Number::f32, 3, 1, one),
                        Matrix(Number::f32, 1, 1), {Number::f32, order, seed}),
            0, 0);
    };
    EXPECT_EQ(product(Choice::kPlain, 0), 0);  // 2^24 + 1 is a tie, to even
    EXPECT_EQ(product(Choice::kExact, 0), 1);
    EXPECT_EQ(product(Choice::kAdversarial, 0), 1);  // (-2^24 + 1) + 2^24
}

// "the low-order N bits of the correct result R"; saturation has the signedness of the result.
TEST(Products, IntegersWrapAndSaturate) {
    const auto product = [](Number factor, uint64_t a, uint64_t b, Number type, uint64_t c,
                            bool saturate) {
        Matrix left(factor, 1, 1), right(factor, 1, 1), addend(type, 1, 1);
        left.at(0, 0).bits = a;
        right.at(0, 0).bits = b;
        addend.at(0, 0).bits = c;
        return multiplyAdd(left, right, addend, {type, Choice::kPlain, 0, saturate}).at(0, 0);
    };
    EXPECT_EQ(product(Number::s8, 0xFF, 2, Number::s32, 1, false).bits, 0xFFFFFFFFu);
    EXPECT_EQ(product(Number::u8, 0xFF, 2, Number::s32, 1, false).bits, 511u);
    EXPECT_EQ(product(Number::s8, 100, 1, Number::s32, 0x7FFFFFFF, false).bits, 0x80000063u);
    EXPECT_EQ(product(Number::s8, 100, 1, Number::s32, 0x7FFFFFFF, true).bits, 0x7FFFFFFFu);
    EXPECT_EQ(product(Number::s8, 0x9C, 1, Number::s32, 0x80000000, true).bits, 0x80000000u);
    EXPECT_EQ(product(Number::u8, 100, 1, Number::u32, 0xFFFFFFFF, true).bits, 0xFFFFFFFFu);
    // Overflow of the intermediate result: undefined with saturation.
    EXPECT_FALSE(product(Number::s32, 0x10000, 0x10000, Number::s32, 0, true).defined);
    EXPECT_TRUE(product(Number::s32, 0x10000, 0x10000, Number::s32, 0, false).defined);
    EXPECT_EQ(product(Number::s4, 8, 8, Number::s32, 0, false).bits, 64u);
}

TEST(Products, UndefinedElementsSpreadAlongLines) {
    Matrix a(Number::f32, 3, 2), b(Number::f32, 2, 3), c(Number::f32, 3, 3);
    a.at(0, 1).defined = false;
    b.at(0, 2).defined = false;
    c.at(1, 1).defined = false;
    const Matrix product = multiplyAdd(a, b, c, {});
    for (uint32_t r = 0; r < 3; ++r) {
        for (uint32_t k = 0; k < 3; ++k) {
            EXPECT_EQ(product.at(r, k).defined, r != 0 && k != 2 && !(r == 1 && k == 1));
        }
    }
}

void add(std::span<Element> left, std::span<const Element> right) {
    ASSERT_EQ(left.size(), right.size());
    for (size_t i = 0; i < left.size(); ++i) {
        left[i].bits += right[i].bits;
        left[i].defined &= right[i].defined;
    }
}

// SPV_NV_cooperative_matrix2, OpCooperativeMatrixReduceNV
TEST(Reductions, CombineRowsColumnsAndNeighbours) {
    const auto value = [](uint32_t r, uint32_t c) { return double(10 * r + c + 1); };
    const Matrix matrix = filled(Number::u32, 4, 6, value);
    for (const bool shuffled : {false, true}) {
        const ReduceOrder order{shuffled, 5};
        const Matrix rows = reduce(matrix, kReduceRow, 4, 2, order, add);
        const Matrix columns = reduce(matrix, kReduceColumn, 3, 6, order, add);
        const Matrix all = reduce(matrix, kReduceRow | kReduceColumn, 2, 2, order, add);
        const Matrix squares = reduce(matrix, kReduce2x2, 2, 3, order, add);
        for (uint32_t c = 0; c < 2; ++c) {
            for (uint32_t r = 0; r < 4; ++r) EXPECT_EQ(valueAt(rows, r, c), 60 * r + 21);
            for (uint32_t r = 0; r < 2; ++r) EXPECT_EQ(valueAt(all, r, c), 60 * 6 + 4 * 21);
        }
        for (uint32_t c = 0; c < 6; ++c) {
            for (uint32_t r = 0; r < 3; ++r) EXPECT_EQ(valueAt(columns, r, c), 60 + 4 * (c + 1));
        }
        for (uint32_t r = 0; r < 2; ++r) {
            for (uint32_t c = 0; c < 3; ++c) {
                const double expected = value(2 * r, 2 * c) + value(2 * r + 1, 2 * c) +
                                        value(2 * r, 2 * c + 1) + value(2 * r + 1, 2 * c + 1);
                EXPECT_EQ(valueAt(squares, r, c), expected);
            }
        }
    }
}

TEST(Matrices, TransposeAndConvert) {
    const Matrix matrix =
        filled(Number::f32, 2, 3, [](uint32_t r, uint32_t c) { return r + c / 4.0; });
    const Matrix transposed = transpose(matrix);
    EXPECT_EQ(transposed.rows, 3u);
    EXPECT_EQ(valueAt(transposed, 2, 1), 1.5);
    const Matrix half = convert(matrix, {Number::f32, Number::f16, numbers::conversionRule(false)});
    EXPECT_EQ(half.at(1, 2).bits, 0x3E00u);
}

}  // namespace
}  // namespace coopvk::reference::matrices::matrices_test
