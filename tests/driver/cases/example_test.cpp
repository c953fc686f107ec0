// SPDX-License-Identifier: Apache-2.0
//
// The examples for the GLSL headers, compiled without changes.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::example_test {
namespace {

Words example(const std::string& name) {
    // spirv-val knows neither extension for Vulkan.
    return compileGlsl(readShader("examples/" + name + ".comp"), Checked::kNo);
}

Bytes smallFloats(Rng& rng, size_t count) {
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(rng.range(-8, 8));
    const auto view = std::as_bytes(std::span(values));
    return {view.begin(), view.end()};
}

TEST(Examples, Int4Gemm) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kSize = 16;
    for (const uint32_t depth : {32u, 128u}) {
        Rng rng("Int4Gemm");
        Dispatch dispatch;
        dispatch.buffers = {rng.bytes(kSize * depth / 2), rng.bytes(depth * kSize),
                            rng.bytes(kSize * kSize * 4)};
        expectAsReference(example("int4_gemm"), dispatch, {.specialization = {{1, depth}}});
    }
}

TEST(Examples, Int4Dot) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t count = Context::get().subgroupSize * 4;
    Rng rng("Int4Dot");
    Dispatch dispatch;
    dispatch.groups = {4, 1, 1};
    dispatch.buffers = {rng.bytes(count * 4), rng.bytes(count * 8 * 4), rng.bytes(count * 4),
                        rng.bytes(count * 4)};
    expectAsReference(example("int4_dot"), dispatch);
}

TEST(Examples, BlockTranspose) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 37, kColumns = 53, kSourcePitch = 216, kTargetPitch = 160;
    Rng rng("BlockTranspose");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(kSourcePitch * kRows), rng.bytes(kTargetPitch * kColumns)};
    dispatch.push = pushWords({kColumns, kRows, kSourcePitch, kTargetPitch});
    dispatch.groups = {(kColumns + 15) / 16, (kRows + 15) / 16, 1};
    expectAsReference(example("block_transpose"), dispatch);
}

// Small integers: sums are exact in any order.
TEST(Examples, BlockGemm) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 20, kColumns = 40, kDepth = 28;
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("BlockGemm");
    Dispatch dispatch;
    dispatch.buffers = {smallFloats(rng, kRows * kDepth), smallFloats(rng, kDepth * kColumns),
                        rng.bytes(kRows * kColumns * 4)};
    dispatch.push = pushWords({kRows, kColumns, kDepth, kDepth * 4, kColumns * 4, kColumns * 4});
    dispatch.groups = {(kColumns + lanes - 1) / lanes, (kRows + 7) / 8, 1};
    expectAsReference(example("block_gemm"), dispatch);
}

}  // namespace
}  // namespace coopvk::test::example_test
