// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector: every type, layout and bit pattern, on the host
// and on the device, which agree bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "harness/compute.hpp"
#include "harness/conversion.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::convert_test {
namespace {

constexpr MatrixType kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr MatrixType kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr MatrixType kE4M3 = VK_COMPONENT_TYPE_FLOAT_E4M3_NV;
constexpr MatrixType kE5M2 = VK_COMPONENT_TYPE_FLOAT_E5M2_NV;
constexpr MatrixType kS8 = VK_COMPONENT_TYPE_SINT8_KHR;
constexpr MatrixType kU8 = VK_COMPONENT_TYPE_UINT8_KHR;

// Converts on host and device over equal random bytes, and compares the two.
Bytes convertBoth(const ConversionRequest& request, const Bytes& source, size_t size) {
    const Bytes before = Rng("target").bytes(size);
    const Bytes host = convertOnHost(request, source, before);
    const Bytes device = convertOnDevice(request, source, before);
    EXPECT_EQ(difference(device, host), "") << "host and device differ";
    return device;
}

Bytes convertBoth(const ConversionRequest& request, const Bytes& source) {
    return convertBoth(request, source, querySize(request));
}

// Values at, just below and just above the points where the rounding to `type` changes.
std::vector<uint32_t> borders(MatrixType type) {
    std::vector<uint32_t> list;
    const uint32_t codes = type == kF16 ? 0x7c00 : 0x7c;
    for (uint32_t code = 0; code < codes; ++code) {
        const double middle = (decodeElement(type, code) + decodeElement(type, code + 1)) / 2;
        if (!std::isfinite(middle)) continue;
        const auto bits = std::bit_cast<uint32_t>(static_cast<float>(middle));
        for (uint32_t value : {bits - 1, bits, bits + 1}) {
            list.push_back(value);
            list.push_back(value | 0x80000000u);
        }
    }
    return list;
}

// Every pattern of the smaller types; of float32 every upper half, many others and the borders.
std::vector<uint32_t> patterns(MatrixType type) {
    std::vector<uint32_t> list(matrixElementBytes(type) == 1 ? 256 : 65536);
    std::iota(list.begin(), list.end(), 0u);
    if (type != kF32) return list;
    for (uint32_t& bits : list) bits <<= 16;
    Rng rng("patterns");
    for (int i = 0; i < 65536; ++i) list.push_back(static_cast<uint32_t>(rng.next()));
    for (MatrixType target : {kF16, kE4M3, kE5M2}) {
        const std::vector<uint32_t> more = borders(target);
        list.insert(list.end(), more.begin(), more.end());
    }
    return list;
}

struct Pair {
    MatrixType from, to;
};

class ConvertTypes : public testing::TestWithParam<Pair> {};

// One line of every pattern: to the target type in an optimal layout, which the next conversion
// reads, then to float32 or float16 to look at.
TEST_P(ConvertTypes, EveryPattern) {
    const auto [from, to] = GetParam();
    const std::vector<uint32_t> list = patterns(from);
    const auto columns = static_cast<uint32_t>(list.size());
    const size_t bytes = matrixElementBytes(from);
    Bytes source(list.size() * bytes);
    for (size_t i = 0; i < list.size(); ++i) writeElement(source, i * bytes, from, list[i]);

    const ConversionRequest first{{from, kRowMajor, source.size()}, {to, kInferencing}, 1, columns};
    const Bytes optimal = convertBoth(first, source);
    const MatrixType shown = matrixElementBytes(to) == 1 && to != kS8 && to != kU8 ? kF16 : to;
    const size_t shownBytes = matrixElementBytes(shown);
    const ConversionRequest second{
        {to, kInferencing}, {shown, kRowMajor, list.size() * shownBytes}, 1, columns};
    const Bytes result = convertBoth(second, optimal);
    const bool copied = from == to && shown == to;
    for (size_t i = 0; i < list.size(); ++i) {
        uint32_t want = list[i];
        if (from != to) want = encodeElement(to, decodeElement(from, want));
        if (shown != to) want = encodeElement(shown, decodeElement(to, want));
        const uint32_t got = readElement(result, i * shownBytes, shown);
        ASSERT_TRUE(copied ? got == want : sameElement(shown, got, want))
            << std::hex << list[i] << " gave " << got << ", not " << want;
    }
}

constexpr Pair kPairs[] = {
    {kF32, kF32},  {kF32, kF16},   {kF32, kE4M3}, {kF32, kE5M2}, {kF16, kF32},   {kF16, kF16},
    {kF16, kE4M3}, {kF16, kE5M2},  {kE4M3, kF32}, {kE4M3, kF16}, {kE4M3, kE4M3}, {kE5M2, kF32},
    {kE5M2, kF16}, {kE5M2, kE5M2}, {kS8, kS8},    {kU8, kU8},
};

std::string typeName(MatrixType type) {
    switch (type) {
        case kF32:
            return "F32";
        case kF16:
            return "F16";
        case kE4M3:
            return "E4M3";
        case kE5M2:
            return "E5M2";
        default:
            return type == kS8 ? "S8" : "U8";
    }
}

std::string pairName(const testing::TestParamInfo<Pair>& info) {
    return typeName(info.param.from) + "To" + typeName(info.param.to);
}

INSTANTIATE_TEST_SUITE_P(All, ConvertTypes, testing::ValuesIn(kPairs), pairName);

// A matrix of random elements in row-major or column-major layout with random padding.
Bytes randomSource(const MatrixSide& side, uint32_t rows, uint32_t columns, Rng& rng) {
    return rng.bytes(side.offset(rows - 1, columns - 1) + matrixElementBytes(side.type));
}

MatrixSide side(MatrixType type, MatrixLayout layout, uint32_t rows, uint32_t columns,
                size_t extra) {
    if (layout != kRowMajor && layout != kColumnMajor) return {type, layout, 0};
    const size_t line = layout == kRowMajor ? columns : rows;
    return {type, layout, (line + extra) * matrixElementBytes(type)};
}

// Source to `from`'s layout, to `to`'s, and back to rows.
void throughLayouts(MatrixType type, MatrixLayout from, MatrixLayout to, uint32_t rows,
                    uint32_t columns, size_t extra) {
    SCOPED_TRACE(testing::Message() << typeName(type) << " layouts " << from << " " << to << ", "
                                    << rows << "x" << columns << " and " << extra);
    Rng rng(rows * 1000 + columns);
    const MatrixSide start = side(type, kRowMajor, rows, columns, extra + 1);
    const MatrixSide sides[] = {side(type, from, rows, columns, extra),
                                side(type, to, rows, columns, extra / 2),
                                side(type, kRowMajor, rows, columns, 2 * extra)};
    const Bytes source = randomSource(start, rows, columns, rng);
    Bytes bytes = source;
    MatrixSide now = start;
    for (const MatrixSide& next : sides) {
        const ConversionRequest request{now, next, rows, columns};
        bytes = convertBoth(request, bytes);
        now = next;
        if (next.isOptimal()) continue;
        // All elements, and no byte between them.
        Bytes want = Rng("target").bytes(bytes.size());
        for (uint32_t row = 0; row < rows; ++row)
            for (uint32_t column = 0; column < columns; ++column)
                writeElement(want, next.offset(row, column), type,
                             readElement(source, start.offset(row, column), type));
        ASSERT_EQ(difference(bytes, want), "");
    }
}

class ConvertLayouts : public testing::TestWithParam<MatrixType> {};

TEST_P(ConvertLayouts, Sizes) {
    constexpr uint32_t kSizes[][2] = {{1, 1},  {1, 7},   {7, 1},   {2, 3},   {3, 16}, {5, 33},
                                      {16, 8}, {17, 31}, {32, 32}, {64, 12}, {2, 301}};
    constexpr MatrixLayout kLayouts[] = {kRowMajor, kColumnMajor, kInferencing, kTraining};
    size_t extra = 0;
    for (const auto& [rows, columns] : kSizes)
        for (MatrixLayout from : kLayouts)
            for (MatrixLayout to : kLayouts)
                throughLayouts(GetParam(), from, to, rows, columns, extra++ % 5);
}

INSTANTIATE_TEST_SUITE_P(All, ConvertLayouts, testing::Values(kF32, kF16, kE4M3, kE5M2, kS8, kU8),
                         [](const auto& given) { return typeName(given.param); });

// More words than the device's largest dispatch of one dimension has invocations: the kernel loops.
TEST(Convert, Large) {
    const ConversionRequest request{
        {kF32, kRowMajor, 4 * 3000}, {kF16, kColumnMajor, 2 * 4000}, 4000, 3000};
    const Bytes source = Rng("Large").bytes(size_t{4} * 3000 * 4000);
    const Bytes before = Rng("target").bytes(querySize(request));
    EXPECT_EQ(difference(convertOnDevice(request, source, before),
                         convertOnHost(request, source, before)),
              "");
}

// Optimal layouts are arrays of elements: one more in each element is one more in the matrix,
// whatever padding there is.
TEST(Convert, TrainingLayoutIsAnArray) {
    for (MatrixType type : {kF16, kF32}) {
        const size_t bytes = matrixElementBytes(type);
        const MatrixSide rows{type, kRowMajor, 5 * bytes};
        const MatrixSide optimal{type, kTraining};
        Bytes source(3 * 5 * bytes);
        for (uint32_t i = 0; i < 15; ++i)
            writeElement(source, i * bytes, type, encodeElement(type, i));
        Bytes array = convertBoth({rows, optimal, 3, 5}, source);
        ASSERT_EQ(array.size() % bytes, 0u);
        for (size_t at = 0; at < array.size(); at += bytes)
            writeElement(
                array, at, type,
                encodeElement(type, decodeElement(type, readElement(array, at, type)) + 1));
        const Bytes result = convertBoth({optimal, rows, 3, 5}, array);
        for (uint32_t i = 0; i < 15; ++i)
            EXPECT_EQ(decodeElement(type, readElement(result, i * bytes, type)), i + 1);
    }
}

// The size depends on the destination only.
TEST(Convert, QuerySize) {
    for (MatrixType type : {kF32, kF16, kE4M3, kE5M2}) {
        for (MatrixLayout layout : {kInferencing, kTraining}) {
            const MatrixSide to{type, layout};
            const size_t size = querySize({{kF32, kRowMajor, 400}, to, 7, 9});
            EXPECT_GE(size, 7 * 9 * matrixElementBytes(type));
            EXPECT_EQ(size, querySize({{kF32, kColumnMajor, 800}, to, 7, 9}));
            EXPECT_EQ(size, querySize({{kF32, kTraining}, to, 7, 9}));
        }
    }
    EXPECT_EQ(querySize({{kF32, kTraining}, {kF32, kRowMajor, 64}, 3, 5}), 3u * 64);
    EXPECT_EQ(querySize({{kF32, kTraining}, {kF32, kColumnMajor, 64}, 3, 5}), 5u * 64);
}

// A source may be invalid if only the size is queried, and its lines may overlap.
TEST(Convert, ShortSourceStride) {
    EXPECT_EQ(querySize({{kF32, kRowMajor, 3}, {kF32, kRowMajor, 64}, 3, 5}), 3u * 64);
    const Bytes source = toBytes({1.0f, 2.0f, 3.0f, 4.0f});
    const Bytes result =
        convertBoth({{kF32, kRowMajor, 4}, {kF32, kRowMajor, 12}, 2, 3}, source, 24);
    EXPECT_EQ(difference(result, toBytes({1.0f, 2.0f, 3.0f, 2.0f, 3.0f, 4.0f})), "");
}

// If the destination is too small, nothing is written. It suffices if the last element fits.
TEST(Convert, SmallDestination) {
    const VkDevice device = Context::get().device;
    const Bytes source = Rng("source").bytes(3 * 20);
    const Bytes before = Rng("target").bytes(1000);
    for (const MatrixSide& to : {MatrixSide{kF32, kRowMajor, 32}, MatrixSide{kF32, kTraining}}) {
        const ConversionRequest request{{kF32, kRowMajor, 20}, to, 3, 5};
        const size_t needed = to.isOptimal() ? querySize(request) : to.offset(2, 4) + 4;
        for (size_t room : {size_t{0}, needed - 1, needed, needed + 1}) {
            Bytes target = before;
            size_t size = room;
            auto info = request.info(source.size(), &size);
            info.srcData.hostAddress = source.data();
            info.dstData.hostAddress = target.data();
            const VkResult result = vkConvertCooperativeVectorMatrixNV(device, &info);
            EXPECT_EQ(result, room < needed ? VK_INCOMPLETE : VK_SUCCESS) << room;
            EXPECT_EQ(target == before, room < needed) << room;
            EXPECT_LE(size, room);
            EXPECT_TRUE(std::equal(target.begin() + static_cast<std::ptrdiff_t>(room), target.end(),
                                   before.begin() + static_cast<std::ptrdiff_t>(room)));
        }
    }
}

TEST(Convert, NoRowsOrColumns) {
    for (MatrixLayout layout : {kRowMajor, kColumnMajor, kInferencing, kTraining}) {
        const MatrixSide to{kF16, layout, 64};
        const Bytes before = Rng("none").bytes(64);
        const ConversionRequest none{{kF32, kRowMajor, 64}, to, 0, 0};
        EXPECT_EQ(querySize(none), 0u);
        EXPECT_EQ(convertOnHost(none, before, before), before);
        EXPECT_EQ(convertOnDevice(none, before, before), before);
    }
}

// What the specification does not allow gives an error, and writes nothing.
TEST(Convert, Refused) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const VkDevice device = Context::get().device;
    const Bytes source(64);
    constexpr ConversionRequest kWrong[] = {
        {{kF32, kRowMajor, 16}, {kS8, kRowMajor, 4}, 4, 4},
        {{kS8, kRowMajor, 4}, {kU8, kRowMajor, 4}, 4, 4},
        {{kE4M3, kRowMajor, 4}, {kE5M2, kInferencing}, 4, 4},
        {{VK_COMPONENT_TYPE_FLOAT64_KHR, kRowMajor, 32}, {kF32, kRowMajor, 16}, 2, 4},
        {{kF32, kRowMajor, 16}, {VK_COMPONENT_TYPE_SINT8_PACKED_NV, kTraining}, 4, 4},
        {{kF32, kTraining}, {kF32, kRowMajor, 12}, 2, 4},     // stride less than a row
        {{kF32, kRowMajor, 18}, {kF32, kTraining}, 3, 4},     // no multiple of an element
        {{kF32, kColumnMajor, 16}, {kF32, kTraining}, 4, 5},  // more than there is
    };
    for (const ConversionRequest& request : kWrong) {
        Bytes target(4096);
        size_t size = target.size();
        auto info = request.info(source.size(), &size);
        info.srcData.hostAddress = source.data();
        info.dstData.hostAddress = target.data();
        EXPECT_LT(vkConvertCooperativeVectorMatrixNV(device, &info), 0);
        EXPECT_EQ(target, Bytes(4096));
    }
}

}  // namespace
}  // namespace coopvk::test::convert_test
