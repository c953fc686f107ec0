// SPDX-License-Identifier: Apache-2.0
//
// The examples for the GLSL headers, compiled without changes.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/compute.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {
namespace {

Words example(const std::string& name) {
    // spirv-val knows neither extension for Vulkan.
    return compileGlsl(readShader("examples/" + name + ".comp"), Checked::kNo);
}

template <typename T>
Bytes bytesOf(const std::vector<T>& values) {
    const auto view = std::as_bytes(std::span(values));
    return {view.begin(), view.end()};
}

std::vector<float> smallFloats(Rng& rng, size_t count) {
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(rng.range(-8, 8));
    return values;
}

int32_t nibble(uint32_t word, uint32_t index) {
    return static_cast<int32_t>(word << (28 - 4 * index)) >> 28;
}

TEST(Examples, Int4Gemm) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kSize = 16;
    for (const uint32_t depth : {32u, 128u}) {
        Rng rng("Int4Gemm");
        std::vector<uint32_t> weights(kSize * depth / 8);
        for (uint32_t& w : weights) w = static_cast<uint32_t>(rng.next());
        std::vector<int8_t> activations(depth * kSize);
        for (int8_t& a : activations) a = static_cast<int8_t>(rng.range(-128, 127));
        std::vector<int32_t> want;
        for (uint32_t r = 0; r < kSize; ++r) {
            for (uint32_t c = 0; c < kSize; ++c) {
                int32_t sum = 0;
                for (uint32_t k = 0; k < depth; ++k)
                    sum += nibble(weights[(r * depth + k) / 8], k % 8) * activations[k * kSize + c];
                want.push_back(sum);
            }
        }
        Dispatch dispatch;
        dispatch.buffers = {bytesOf(weights), bytesOf(activations), rng.bytes(want.size() * 4)};
        const auto after = run(example("int4_gemm"), dispatch, {.specialization = {{1, depth}}});
        EXPECT_EQ(difference(after[2], bytesOf(want)), "") << depth;
    }
}

TEST(Examples, Int4Dot) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t count = Context::get().subgroupSize * 4;
    Rng rng("Int4Dot");
    std::vector<uint32_t> weights, doubled;
    std::vector<int32_t> values, sums;
    for (uint32_t i = 0; i < count; ++i) {
        weights.push_back(static_cast<uint32_t>(rng.next()));
        sums.push_back(0);
        doubled.push_back(0);
        for (uint32_t n = 0; n < 8; ++n) {
            values.push_back(static_cast<int32_t>(rng.range(-1000, 1000)));
            const int32_t weight = nibble(weights[i], n);
            sums[i] += weight * values.back();
            const int32_t twice = std::clamp(2 * weight, -8, 7);
            doubled[i] |= (static_cast<uint32_t>(twice) & 15u) << 4 * n;
        }
    }
    Dispatch dispatch;
    dispatch.groups = {4, 1, 1};
    dispatch.buffers = {bytesOf(weights), bytesOf(values), rng.bytes(count * 4),
                        rng.bytes(count * 4)};
    const auto after = run(example("int4_dot"), dispatch);
    EXPECT_EQ(difference(after[2], bytesOf(sums)), "");
    EXPECT_EQ(difference(after[3], bytesOf(doubled)), "");
}

TEST(Examples, BlockTranspose) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 37, kColumns = 53, kSourcePitch = 216, kTargetPitch = 160;
    Rng rng("BlockTranspose");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(kSourcePitch * kRows), rng.bytes(kTargetPitch * kColumns)};
    dispatch.push = pushWords({kColumns, kRows, kSourcePitch, kTargetPitch});
    dispatch.groups = {(kColumns + 15) / 16, (kRows + 15) / 16, 1};
    Bytes want = dispatch.buffers[1];
    for (uint32_t r = 0; r < kRows; ++r)
        for (uint32_t c = 0; c < kColumns; ++c)
            std::copy_n(dispatch.buffers[0].data() + r * kSourcePitch + c * 4, 4,
                        want.data() + c * kTargetPitch + r * 4);
    const auto after = run(example("block_transpose"), dispatch);
    EXPECT_EQ(difference(after[1], want), "");
}

TEST(Examples, BlockGemm) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 20, kColumns = 40, kDepth = 28;
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("BlockGemm");
    const std::vector<float> a = smallFloats(rng, kRows * kDepth);
    const std::vector<float> b = smallFloats(rng, kDepth * kColumns);
    std::vector<float> c;
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t column = 0; column < kColumns; ++column) {
            float sum = 0;  // small integers: exact in any order
            for (uint32_t k = 0; k < kDepth; ++k)
                sum += a[row * kDepth + k] * b[k * kColumns + column];
            c.push_back(sum);
        }
    }
    Dispatch dispatch;
    dispatch.buffers = {bytesOf(a), bytesOf(b), rng.bytes(c.size() * 4)};
    dispatch.push = pushWords({kRows, kColumns, kDepth, kDepth * 4, kColumns * 4, kColumns * 4});
    dispatch.groups = {(kColumns + lanes - 1) / lanes, (kRows + 7) / 8, 1};
    const auto after = run(example("block_gemm"), dispatch);
    EXPECT_EQ(difference(after[2], bytesOf(c)), "");
}

}  // namespace
}  // namespace coopvk::test
