// SPDX-License-Identifier: Apache-2.0
#include "compare/tune/works.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tune_attention.spv.h"
#include "tune_direct_byte.spv.h"
#include "tune_direct_half.spv.h"
#include "tune_layers_narrow.spv.h"
#include "tune_layers_wide.spv.h"
#include "tune_staged_half.spv.h"
#include "tune_staged_single.spv.h"

namespace coopvk::tune {
namespace {

// As in the shaders.
constexpr uint32_t kDepth = 256, kGroup = 64;
constexpr uint32_t kKeys = 256, kHeadWidth = 64;
constexpr uint32_t kInvocations = 128, kLayers = 4;
// Rows and columns repeat after these many, which divide no size of a matrix: few results need to
// be computed here, and a row or column in the place of another one is seen.
constexpr uint32_t kRows = 61, kColumns = 67;

struct Table {
    uint32_t rows, columns;
    std::vector<int32_t> values;
    int32_t at(uint32_t row, uint32_t column) const {
        return values[size_t{row % rows} * columns + column % columns];
    }
};

// Numbers from -most to most, of which about one in `rarity` is not 0.
Table randomTable(uint32_t rows, uint32_t columns, int32_t most, uint32_t rarity, uint32_t seed) {
    Table table{rows, columns, std::vector<int32_t>(size_t{rows} * columns)};
    uint32_t state = seed;
    const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
    for (int32_t& value : table.values) {
        value = static_cast<int32_t>(next() % static_cast<uint32_t>(2 * most + 1)) - most;
        if (next() % rarity != 0) value = 0;
    }
    return table;
}

// Of whole numbers up to 2048 each f16 is exact.
uint16_t halfOf(int32_t value) {
    if (value == 0) return 0;
    const auto size = static_cast<uint32_t>(std::abs(value));
    const auto exponent = static_cast<uint32_t>(std::bit_width(size)) - 1;
    const uint32_t fraction = (size << 10 >> exponent) & 0x3ff;
    return static_cast<uint16_t>((value < 0 ? 0x8000u : 0u) | ((exponent + 15) << 10) | fraction);
}

double fromHalf(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    if (exponent == 31) return std::nan("");
    const int fraction = bits & 0x3ff;
    const double value =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 0x400, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

class Bytes {
 public:
    explicit Bytes(std::vector<std::byte>& bytes) : bytes_(bytes) {}
    void add(int32_t value, Element type) {
        const auto half = halfOf(value);
        const auto byte = static_cast<int8_t>(value);
        if (type == Element::kHalf)
            put(&half, sizeof(half));
        else
            put(&byte, sizeof(byte));
    }

 private:
    void put(const void* from, size_t size) {
        const auto* start = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), start, start + size);
    }
    std::vector<std::byte>& bytes_;
};

// Sums of kDepth products of at most 4: exact in f16, in whatever order.
Problem product(uint32_t size, Element factor, bool isColumnMajor) {
    const Table a = randomTable(kRows, kDepth, 2, 1, 1);
    const Table b = randomTable(kDepth, kColumns, 2, 1, 2);
    Problem problem{.size = size, .groups = {size / kGroup, size / kGroup}};
    Bytes inA(problem.a), inB(problem.b);
    for (uint32_t row = 0; row < size; ++row)
        for (uint32_t k = 0; k < kDepth; ++k) inA.add(a.at(row, k), factor);
    const uint32_t outer = isColumnMajor ? size : kDepth, inner = isColumnMajor ? kDepth : size;
    for (uint32_t i = 0; i < outer; ++i)
        for (uint32_t j = 0; j < inner; ++j)
            inB.add(isColumnMajor ? b.at(j, i) : b.at(i, j), factor);
    Table c{kRows, kColumns, std::vector<int32_t>(size_t{kRows} * kColumns)};
    for (uint32_t row = 0; row < kRows; ++row)
        for (uint32_t column = 0; column < kColumns; ++column)
            for (uint32_t k = 0; k < kDepth; ++k)
                c.values[size_t{row} * kColumns + column] += a.at(row, k) * b.at(k, column);
    problem.expected.reserve(size_t{size} * size);
    for (uint32_t row = 0; row < size; ++row)
        for (uint32_t column = 0; column < size; ++column)
            problem.expected.push_back(c.at(row, column));
    problem.operations = 2.0 * size * size * kDepth;
    return problem;
}

// Scores of at most 64 are exact in f16, and sums of 256 of them in f32.
Problem attention(bool isCpu) {
    const uint32_t rows = isCpu ? 256 : 32768;
    const Table q = randomTable(kRows, kHeadWidth, 1, 1, 3);
    const Table keys = randomTable(kKeys, kHeadWidth, 1, 1, 4);
    const Table values = randomTable(kKeys, kHeadWidth, 1, 1, 5);
    Problem problem{.size = rows, .groups = {rows / kGroup, 1}};
    Bytes inA(problem.a), inB(problem.b);
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < kHeadWidth; ++i) inA.add(q.at(row, i), Element::kHalf);
    for (const Table* table : {&keys, &values})
        for (const int32_t value : table->values) inB.add(value, Element::kHalf);
    Table out{kRows, kHeadWidth, std::vector<int32_t>(size_t{kRows} * kHeadWidth)};
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t key = 0; key < kKeys; ++key) {
            int32_t score = 0;
            for (uint32_t i = 0; i < kHeadWidth; ++i) score += q.at(row, i) * keys.at(key, i);
            for (uint32_t i = 0; i < kHeadWidth; ++i)
                out.values[size_t{row} * kHeadWidth + i] += score * values.at(key, i);
        }
    }
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < kHeadWidth; ++i) problem.expected.push_back(out.at(row, i));
    problem.operations = 4.0 * rows * kKeys * kHeadWidth;
    return problem;
}

template <uint32_t kWidth>
Problem layers(bool isCpu) {
    const uint32_t invocations = isCpu ? 1024 : 262144;
    const Table weights = randomTable(kWidth, kWidth, 2, kWidth / 8, 6);
    const Table inputs = randomTable(kRows, kWidth, 3, 1, 7);
    Problem problem{.size = invocations, .groups = {invocations / kInvocations, 1}};
    Bytes inA(problem.a), inB(problem.b);
    for (const int32_t value : weights.values) inA.add(value, Element::kHalf);
    for (const int32_t value : inputs.values) inB.add(value, Element::kHalf);
    std::vector<int32_t> sums;
    for (uint32_t row = 0; row < kRows; ++row) {
        std::vector<int32_t> x(kWidth), y(kWidth);
        for (uint32_t i = 0; i < kWidth; ++i) x[i] = inputs.at(row, i);
        for (uint32_t layer = 0; layer < kLayers; ++layer) {
            for (uint32_t i = 0; i < kWidth; ++i) {
                y[i] = 0;
                for (uint32_t k = 0; k < kWidth; ++k) y[i] += weights.at(i, k) * x[k];
            }
            for (uint32_t i = 0; i < kWidth; ++i) x[i] = std::clamp(y[i], -3, 3);
        }
        int32_t sum = 0;
        for (uint32_t i = 0; i < kWidth; ++i) sum += y[i] * static_cast<int32_t>(i % 7 + 1);
        sums.push_back(sum);
    }
    for (uint32_t i = 0; i < invocations; ++i) problem.expected.push_back(sums[i % kRows]);
    problem.operations = 2.0 * invocations * kLayers * kWidth * kWidth;
    return problem;
}

uint32_t sizeFor(bool isCpu) { return isCpu ? 256 : 2048; }
Problem halvesByRows(bool isCpu) { return product(sizeFor(isCpu), Element::kHalf, false); }
Problem halvesByColumns(bool isCpu) { return product(sizeFor(isCpu), Element::kHalf, true); }
Problem bytesByRows(bool isCpu) { return product(sizeFor(isCpu), Element::kByte, false); }

constexpr auto kMatrices = rewrite::Extension::kKhrCooperativeMatrix;
constexpr auto kVectors = rewrite::Extension::kNvCooperativeVector;

}  // namespace

std::span<const TuneWork> tuneWorks() {
    static const TuneWork kWorks[] = {
        {"f16 into f32, shared memory", kMatrices, kTuneStagedSingle, Element::kSingle, true,
         halvesByRows},
        {"f16 into f16, shared memory", kMatrices, kTuneStagedHalf, Element::kHalf, true,
         halvesByRows},
        {"f16 into f32, columns of buffers", kMatrices, kTuneDirectHalf, Element::kSingle, true,
         halvesByColumns},
        {"s8 into s32, buffers", kMatrices, kTuneDirectByte, Element::kInt, true, bytesByRows},
        {"attention", kMatrices, kTuneAttention, Element::kSingle, true, attention},
        {"vectors of 64", kVectors, kTuneLayersWide, Element::kSingle, false, layers<64>},
        {"vectors of 16", kVectors, kTuneLayersNarrow, Element::kSingle, false, layers<16>},
    };
    return kWorks;
}

std::vector<int32_t> numbersOf(std::span<const std::byte> bytes, Element type) {
    constexpr int32_t kNone = INT32_MIN;
    const auto whole = [](double value) {
        const bool fits = std::abs(value) < 1e9 && value == std::floor(value);
        return fits ? static_cast<int32_t>(value) : kNone;
    };
    const size_t width = type == Element::kHalf ? 2 : 4;
    std::vector<int32_t> numbers(bytes.size() / width);
    for (size_t i = 0; i < numbers.size(); ++i) {
        uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * width, width);
        numbers[i] = type == Element::kInt    ? static_cast<int32_t>(bits)
                     : type == Element::kHalf ? whole(fromHalf(static_cast<uint16_t>(bits)))
                                              : whole(std::bit_cast<float>(bits));
    }
    return numbers;
}

}  // namespace coopvk::tune
