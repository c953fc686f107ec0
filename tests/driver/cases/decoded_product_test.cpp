// SPDX-License-Identifier: Apache-2.0
//
// A loop of products whose A is decoded from blocks of 4-bit numbers, as programs for quantised
// models have it. Numbers in a buffer choose the tensors' sizes, so the compiled shader has the
// code for each way to load.
#include <gtest/gtest.h>

#include <cstring>
#include <format>

#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::decoded_product_test {
namespace {

constexpr uint32_t kRows = 32, kColumns = 32, kStep = 32, kBlock = 8, kBlocksInRow = 8;
constexpr uint32_t kBlockBytes = 6;  // an f16 and eight 4-bit numbers

struct Sizes {
    std::string_view name;
    uint32_t k;          // columns of A and rows of B: what lies behind reads as 0
    uint32_t bStride;    // elements from row to row of B
    uint32_t bElement0;  // the first element of B in its buffer
};
constexpr Sizes kSizes[] = {{"aligned", 64, kColumns, 0},
                            {"odd_k", 61, kColumns, 0},
                            {"odd_stride", 64, kColumns + 1, 0},
                            {"odd_start", 64, kColumns, 3}};

struct ProductCase {
    Sizes sizes;
    bool usedLater = false;  // the product is used once more, in the loop
    uint32_t invocations = 128;
};

std::string source(const ProductCase& c) {
    return matrix2Header() + glsl::buffer(1, "b", "float16_t") +
           glsl::buffer(2, "numbers", "uint") + glsl::buffer(3, "d", "float") +
           std::format(
               R"(layout(set = 0, binding = 0, scalar) buffer A_ {{ uint16_t a[]; }};
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Block {{ uint16_t n[3]; }};
float16_t decode(const in Block block, const in uint bc[2], const in uint c[2]) {{
    const uint bits = uint(block.n[1 + c[1] / 4]) >> (c[1] % 4 * 4) & 15u;
    return uint16BitsToFloat16(block.n[0]) * float16_t(int(bits) - 8);
}}
void main() {{
    const uint k = numbers[0], stride = numbers[1], first = numbers[2];
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> la =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> lb =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    la = setTensorLayoutBlockSizeNV(la, 1, {0});
    la = setTensorLayoutDimensionNV(la, {1}, k);
    la = setTensorLayoutStrideNV(la, {2}, 1);
    lb = setTensorLayoutDimensionNV(lb, k, {3});
    lb = setTensorLayoutStrideNV(lb, stride, 1);
    {4} sum = {4}(0.0);
    {4} twice = sum;
    for (uint at = 0; at < k; at += {5}) {{
        {6} A;
        {7} B;
        coopMatLoadTensorNV(A, a, 0, sliceTensorLayoutNV(la, 0, {1}, at, {5}), decode);
        coopMatLoadTensorNV(B, b, first, sliceTensorLayoutNV(lb, at, {5}, 0, {3}));
        sum = coopMatMulAdd(A, B, sum);
        {8}
    }}
    coopMatStore({9}, d, 0, {3}, gl_CooperativeMatrixLayoutRowMajor);
}}
)",
               kBlock, kRows, kBlocksInRow, kColumns,
               glsl::matrix(Component::kF32, kRows, kColumns, Use::kAccumulator), kStep,
               glsl::matrix(Component::kF16, kRows, kStep, Use::kA),
               glsl::matrix(Component::kF16, kStep, kColumns, Use::kB),
               c.usedLater ? "twice = sum + sum;" : "", c.usedLater ? "twice" : "sum");
}

// decode() gives small multiples of a power of two, so that all sums are exact.
Bytes randomBlocks(Rng& rng) {
    constexpr uint16_t kScales[] = {0x3800, 0x3C00, 0x4000};  // 0.5, 1, 2
    Bytes blocks(size_t{kRows} * kBlocksInRow * kBlockBytes);
    for (uint32_t i = 0; i < kRows * kBlocksInRow; ++i) {
        const auto which = static_cast<size_t>(rng.range(0, 2));
        std::memcpy(&blocks[size_t{i} * kBlockBytes], &kScales[which], 2);
        for (uint32_t e = 0; e < kBlock; ++e) {
            const auto bits = static_cast<uint8_t>(rng.range(0, 15));
            std::byte& byte = blocks[size_t{i} * kBlockBytes + 2 + e / 2];
            byte = e % 2 == 0 ? std::byte{bits} : byte | std::byte(bits << 4);
        }
    }
    return blocks;
}

std::string caseName(const ProductCase& c) {
    return std::format("{}_{}{}", c.sizes.name, c.invocations, c.usedLater ? "_used_later" : "");
}

class TensorDecodedProduct : public testing::TestWithParam<ProductCase> {};

TEST_P(TensorDecodedProduct, IsThatOfTheDecodedNumbers) {
    const ProductCase& c = GetParam();
    const MatrixGroup group = {true, {c.invocations, 1, 1}};
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    Rng rng(caseName(c));
    const Bytes blocks = randomBlocks(rng);
    const Matrix b = randomMatrix(rng, Component::kF16, c.sizes.k, kColumns, Fill::kSmall);
    const Placement place = {false, size_t{c.sizes.bStride} * 2, size_t{c.sizes.bElement0} * 2};
    Bytes bBytes = rng.bytes(place.size(b));
    scatter(b, place, bBytes);
    const uint32_t numbers[] = {c.sizes.k, c.sizes.bStride, c.sizes.bElement0};
    const auto bytes = std::as_bytes(std::span(numbers));
    Dispatch dispatch;
    dispatch.buffers = {blocks, bBytes, Bytes(bytes.begin(), bytes.end()),
                        poison(rng, Matrix(Component::kF32, kRows, kColumns))};
    expectMatrix(source(c), group, dispatch, Component::kF32);
}

std::vector<ProductCase> productCases() {
    std::vector<ProductCase> all;
    for (const Sizes& sizes : kSizes) all.push_back({sizes, false, 128});
    all.push_back({kSizes[0], true, 64});
    all.push_back({kSizes[1], true, 64});
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, TensorDecodedProduct, testing::ValuesIn(productCases()),
                         [](const auto& test) { return caseName(test.param); });

}  // namespace
}  // namespace coopvk::test::decoded_product_test
