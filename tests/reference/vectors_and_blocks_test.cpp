// SPDX-License-Identifier: Apache-2.0
// Cooperative vectors (SPV_NV_cooperative_vector), their matrices in memory, and 2D blocks
// (SPV_INTEL_2d_block_io: the examples of its text).
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices::vectors_and_blocks_test {
namespace {

std::vector<Element> elementsOf(Number number, std::initializer_list<double> values) {
    std::vector<Element> elements;
    for (double v : values) elements.push_back({numbers::encodeDouble(number, v), true});
    return elements;
}

TEST(Vectors, InputsAreConvertedOrUnpacked) {
    const auto input = interpretInput(elementsOf(Number::f32, {2.5, -3.5, 1000, -1000}),
                                      Number::f32, Number::s8, false, 4);
    EXPECT_EQ(input[0].bits, 2u);
    EXPECT_EQ(input[1].bits, 0xFCu);
    EXPECT_EQ(input[2].bits, 0x7Fu);
    EXPECT_EQ(input[3].bits, 0x80u);
    const Element packed[] = {{0x04FF0201, true}, {0x00000005, true}};
    const auto unpacked = interpretInput(packed, Number::u32, Number::s8, true, 5);
    const uint64_t expected[] = {1, 2, 0xFF, 4, 5};
    ASSERT_EQ(unpacked.size(), 5u);
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(unpacked[i].bits, expected[i]);
}

// A row times a column, plus a bias of another format.
TEST(Vectors, ProductsHaveABias) {
    const auto matrix = [](Number number, uint32_t rows, std::initializer_list<double> values) {
        Matrix result(number, rows, uint32_t(values.size()) / rows);
        uint32_t i = 0;
        for (const Element& e : elementsOf(number, values)) {
            result.at(i / result.columns, i % result.columns) = e;
            ++i;
        }
        return result;
    };
    const Matrix row = matrix(Number::f16, 1, {1, 2, 3}), input = matrix(Number::f16, 3, {4, 5, 6});
    const auto value = [&](double bias) {
        const Matrix sum =
            multiplyAdd(row, input, matrix(Number::f16, 1, {bias}), SumRule{Number::f32});
        return numbers::decodeDouble(Number::f32, sum.at(0, 0).bits);
    };
    EXPECT_EQ(value(0), 32);
    EXPECT_EQ(value(0.5), 32.5);
    const Matrix sum = multiplyAdd(matrix(Number::u8, 1, {255}), matrix(Number::s8, 1, {-1}),
                                   matrix(Number::s32, 1, {5}), SumRule{Number::s32});
    EXPECT_EQ(sum.at(0, 0).bits, uint32_t(5 - 255));
}

// As vector_matrix.hpp draws it: rows of 20 bytes, which take 32, in blocks of eight rows.
TEST(Vectors, OptimalLayoutsOfOthers) {
    VectorMatrix lines = *vectorMatrix(0, 2, 11, 10, 0);
    lines.optimal.lineAlignment = 16;
    EXPECT_EQ(lines.offset(3, 9), 3u * 32 + 18);
    VectorMatrix blocks = lines;
    blocks.optimal.blockRows = 8;
    EXPECT_EQ(blocks.offset(0, 7), 14u);
    EXPECT_EQ(blocks.offset(3, 7), 3u * 16 + 14);
    EXPECT_EQ(blocks.offset(3, 9), 8u * 16 + 3 * 16 + 2);
    EXPECT_EQ(blocks.offset(10, 9), 8u * 32 + 8 * 16 + 2 * 16 + 2);
    // Blocks are of the layout for inference.
    VectorMatrix training = *vectorMatrix(0, 3, 11, 10, 0);
    training.optimal = blocks.optimal;
    EXPECT_EQ(training.offset(3, 9), 3u * 32 + 18);
}

TEST(Vectors, MatricesInMemory) {
    const VectorMatrix rows = *vectorMatrix(0, 0, 3, 4, 16);
    const VectorMatrix columns = *vectorMatrix(1, 1, 3, 4, 16);
    const VectorMatrix optimal = *vectorMatrix(0, 3, 3, 4, 0);
    EXPECT_EQ(rows.offset(2, 3), 2u * 16 + 3 * 2);
    EXPECT_EQ(rows.size(), 2u * 16 + 4 * 2);
    EXPECT_EQ(columns.offset(2, 3), 3u * 16 + 2 * 4);
    EXPECT_EQ(optimal.offset(2, 3), 11u * 2);
    EXPECT_EQ(optimal.size(), 24u);
    EXPECT_FALSE(vectorMatrix(99, 0, 3, 4, 0));
    EXPECT_FALSE(vectorMatrix(0, 4, 3, 4, 0));
    // vkConvertCooperativeVectorMatrixNV rounds to nearest even: 1 + 2^-11 is a tie in binary16.
    std::vector<std::byte> source(columns.size()), destination(optimal.size());
    const float tie = 1 + 0x1p-11f;
    std::memcpy(source.data() + columns.offset(1, 2), &tie, sizeof(tie));
    ASSERT_TRUE(convertMatrix(columns, source, optimal, destination));
    uint16_t got[2];
    std::memcpy(got, destination.data() + 6 * 2, sizeof(got));
    EXPECT_EQ(got[0], 0x3C00u);
    EXPECT_EQ(got[1], 0u);
}

// vkConvertCooperativeVectorMatrixNV: each element, in its row and column.
TEST(Vectors, ConversionsOfEachElement) {
    const VectorMatrix rows = *vectorMatrix(0, 0, 3, 4, 16),
                       columns = *vectorMatrix(1, 1, 3, 4, 16);
    std::vector<std::byte> source(rows.size()), destination(columns.size());
    const auto valueOf = [](uint32_t row, uint32_t column) {
        return float(row * 10 + column) + 0.5f;
    };
    for (uint32_t row = 0; row < 3; ++row)
        for (uint32_t column = 0; column < 4; ++column) {
            const uint64_t bits = numbers::bitsOf(Number::f16, valueOf(row, column));
            std::memcpy(source.data() + rows.offset(row, column), &bits, 2);
        }
    ASSERT_TRUE(convertMatrix(rows, source, columns, destination));
    for (uint32_t row = 0; row < 3; ++row)
        for (uint32_t column = 0; column < 4; ++column) {
            float value = 0;
            std::memcpy(&value, destination.data() + columns.offset(row, column), sizeof(value));
            EXPECT_EQ(value, valueOf(row, column)) << row << ", " << column;
        }
}

// IEEE 754-2008, 7.4: what is too large becomes infinity, not the largest number.
TEST(Vectors, ConversionsOfLargeNumbers) {
    const VectorMatrix source = *vectorMatrix(1, 0, 1, 4, 16),
                       target = *vectorMatrix(0, 0, 1, 4, 16);
    const float values[] = {65519, 65520, -70000, 1e30f};  // 65520 is halfway from 65504 to 65536
    std::vector<std::byte> from(source.size()), to(target.size());
    std::memcpy(from.data(), values, sizeof(values));
    ASSERT_TRUE(convertMatrix(source, from, target, to));
    std::array<uint16_t, 4> halves;
    std::memcpy(halves.data(), to.data(), sizeof(halves));
    EXPECT_EQ(halves, (std::array<uint16_t, 4>{0x7BFF, 0x7C00, 0xFC00, 0x7C00}));
}

// Integers only change their layout.
TEST(Vectors, ConversionsThatThereAreNot) {
    constexpr uint32_t kHalf = 0, kSigned8 = 3, kUnsigned8 = 7;
    const auto converts = [](uint32_t from, uint32_t to, uint32_t rows, uint32_t columns) {
        const VectorMatrix source = *vectorMatrix(from, 0, 2, 3, 16);
        const VectorMatrix target = *vectorMatrix(to, 1, rows, columns, 16);
        std::vector<std::byte> bytes(64), result(64);
        return convertMatrix(source, bytes, target, result);
    };
    EXPECT_TRUE(converts(kSigned8, kSigned8, 2, 3));
    EXPECT_TRUE(converts(kHalf, kHalf, 2, 3));
    EXPECT_FALSE(converts(kSigned8, kUnsigned8, 2, 3));
    EXPECT_FALSE(converts(kHalf, kSigned8, 2, 3));
    EXPECT_FALSE(converts(kSigned8, kHalf, 2, 3));
    EXPECT_FALSE(converts(kHalf, kHalf, 3, 3));
    EXPECT_FALSE(converts(kHalf, kHalf, 2, 2));
}

TEST(Vectors, BitsRegroup) {
    const Element words[] = {{0x44332211, true}, {0x88776655, false}};
    const auto bytes = regroup(words, 32, 8);
    ASSERT_EQ(bytes.size(), 8u);
    EXPECT_EQ(bytes[1].bits, 0x22u);
    EXPECT_TRUE(bytes[3].defined);
    EXPECT_FALSE(bytes[4].defined);
    const auto halves = regroup(bytes, 8, 16);
    EXPECT_EQ(halves[3].bits, 0x8877u);
    // As for OpBitcast, a part that is defined suffices.
    const Element parts[] = {{0x11, true}, {0, false}, {0, false}, {0, false}};
    const auto joined = regroup(parts, 8, 16);
    EXPECT_TRUE(joined[0].defined);
    EXPECT_FALSE(joined[1].defined);
}

struct BlockExample {
    Block block;
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> values;  // (row, column) by invocation
};

// "Examples" 1 to 4, with a subgroup of four.
TEST(Blocks, ExamplesOfTheText) {
    const BlockExample examples[] = {
        {{BlockKind::plain, 4, 4, 2, 1},
         {{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 2}}, {{0, 3}, {1, 3}}}},
        {{BlockKind::plain, 4, 2, 4, 1},
         {{{0, 0}, {2, 0}}, {{0, 1}, {2, 1}}, {{1, 0}, {3, 0}}, {{1, 1}, {3, 1}}}},
        {{BlockKind::plain, 4, 8, 2, 1},
         {{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
          {{0, 2}, {0, 3}, {1, 2}, {1, 3}},
          {{0, 4}, {0, 5}, {1, 4}, {1, 5}},
          {{0, 6}, {0, 7}, {1, 6}, {1, 7}}}},
        {{BlockKind::transpose, 4, 2, 4, 1},
         {{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}, {{2, 0}, {2, 1}}, {{3, 0}, {3, 1}}}},
    };
    for (const BlockExample& example : examples) {
        const BlockMapping mapping(example.block, 4);
        ASSERT_EQ(mapping.valuesOfInvocation(), example.values[0].size());
        for (uint32_t lane = 0; lane < 4; ++lane) {
            for (uint32_t i = 0; i < mapping.valuesOfInvocation(); ++i) {
                const BlockElement element = mapping.element(lane, i, 0);
                EXPECT_EQ(std::pair(element.row, element.column), example.values[lane][i]);
                EXPECT_FALSE(element.padding);
            }
        }
    }
}

// Examples 5 and 6: rows in one value, lower rows in lower bits.
TEST(Blocks, TransformsPackRows) {
    for (const uint32_t size : {2u, 1u}) {
        const BlockMapping mapping({BlockKind::transform, size, 4, 4 / size, 1}, 4);
        EXPECT_EQ(mapping.elementsOfValue(), 4 / size);
        EXPECT_EQ(mapping.valuesOfInvocation(), 1u);
        for (uint32_t lane = 0; lane < 4; ++lane) {
            for (uint32_t part = 0; part < 4 / size; ++part) {
                const BlockElement element = mapping.element(lane, 0, part);
                EXPECT_EQ(element.row, part);
                EXPECT_EQ(element.column, lane);
            }
        }
    }
}

// "Mapping Block Data to Invocations", with a subgroup of eight: a width is padded to a power of
// two, invocations have whole rows of the block at once, and the last row may lie in none.
TEST(Blocks, ValuesOfAnInvocation) {
    struct {
        Block block;
        uint32_t values;
    } const rows[] = {
        {{BlockKind::plain, 4, 4, 1, 1}, 1},     {{BlockKind::plain, 4, 4, 2, 1}, 1},
        {{BlockKind::plain, 4, 4, 3, 1}, 2},     {{BlockKind::plain, 4, 3, 5, 2}, 6},
        {{BlockKind::plain, 4, 8, 3, 1}, 3},     {{BlockKind::plain, 4, 16, 3, 1}, 6},
        {{BlockKind::plain, 4, 9, 3, 1}, 6},     {{BlockKind::plain, 4, 2, 5, 1}, 2},
        {{BlockKind::transform, 2, 4, 5, 1}, 2}, {{BlockKind::transform, 2, 4, 4, 1}, 1},
        {{BlockKind::transform, 1, 8, 9, 2}, 6}, {{BlockKind::transpose, 4, 3, 4, 1}, 2},
    };
    for (const auto& row : rows) {
        const BlockMapping mapping(row.block, 8);
        EXPECT_EQ(mapping.valuesOfInvocation(), row.values)
            << row.block.width << " x " << row.block.height;
        std::set<std::pair<uint32_t, uint32_t>> elements;  // each of them once
        for (uint32_t lane = 0; lane < 8; ++lane)
            for (uint32_t value = 0; value < row.values; ++value)
                for (uint32_t part = 0; part < mapping.elementsOfValue(); ++part) {
                    const BlockElement element = mapping.element(lane, value, part);
                    if (element.padding) continue;
                    EXPECT_TRUE(elements.insert({element.row, element.column}).second);
                    EXPECT_LT(element.row, row.block.height);
                    EXPECT_LT(element.column, row.block.width * row.block.count);
                }
        EXPECT_EQ(elements.size(), row.block.width * row.block.height * row.block.count);
    }
}

TEST(Blocks, PaddingAndSeveralBlocks) {
    const BlockMapping mapping({BlockKind::plain, 2, 6, 3, 2}, 8);  // padded to 8 columns
    EXPECT_EQ(mapping.valuesOfInvocation(), 6u);
    EXPECT_TRUE(mapping.element(6, 0, 0).padding);
    EXPECT_FALSE(mapping.element(5, 2, 0).padding);
    EXPECT_EQ(mapping.element(1, 4, 0).column, 7u);  // second block, column 1
    EXPECT_EQ(mapping.element(1, 4, 0).row, 1u);
    EXPECT_TRUE(insideMemory(31, 0, 2, 64, 1));
    EXPECT_FALSE(insideMemory(32, 0, 2, 64, 1));
    EXPECT_FALSE(insideMemory(-1, 0, 2, 64, 1));
    EXPECT_FALSE(insideMemory(0, 1, 2, 64, 1));
    EXPECT_FALSE(insideMemory(INT64_MAX, 0, 2, 64, 1));
}

}  // namespace
}  // namespace coopvk::reference::matrices::vectors_and_blocks_test
