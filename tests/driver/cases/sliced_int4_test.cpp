// SPDX-License-Identifier: Apache-2.0
//
// Products of 4-bit integers in slices along K, as rewritten for a GPU without dot products of
// bytes. If all sums of a slice are exact as f16, they are computed in f16.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "harness/glsl.hpp"
#include "harness/int4_matrix.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::sliced_int4_test {
namespace {

using namespace int4;

constexpr uint32_t kSize = 8;    // rows and columns of the result
constexpr uint32_t kDepth = 32;  // along K

struct Signs {
    bool a, b;                  // of the types
    bool aAsSigned, bAsSigned;  // of the operands
    uint32_t literal() const { return (aAsSigned ? 1 : 0) | (bAsSigned ? 2 : 0) | 12; }
};

// A and B are row-major and column-major; both go through shared memory.
Words kernel(const Signs& s) {
    const std::string source = substitute(
        R"(#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
${HEADER}
const uint kSize = ${SIZE}u, kDepth = ${DEPTH}u, kWords = kSize * kDepth / 8u;
#define MATRIX_A COOPVK_${A}4_MATRIX(kSize, kDepth, coopvkUseA)
#define MATRIX_B COOPVK_${B}4_MATRIX(kDepth, kSize, coopvkUseB)
#define SUM coopmat<int, gl_ScopeSubgroup, kSize, kSize, gl_MatrixUseAccumulator>
COOPVK_INT4_MATRIX_FUNCTIONS(a, MATRIX_A, uint)
COOPVK_INT4_MATRIX_FUNCTIONS(b, MATRIX_B, uint)
COOPVK_INT4_MULTIPLY_ADD(product, MATRIX_A, MATRIX_B, SUM)
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer BufferA { uint wordsA[]; };
layout(set = 0, binding = 1) readonly buffer BufferB { uint wordsB[]; };
layout(set = 0, binding = 2) readonly buffer BufferC { int c[]; };
layout(set = 0, binding = 3) buffer BufferD { int d[]; };
shared uint tileA[kWords], tileB[kWords];
void main() {
    for (uint i = gl_LocalInvocationIndex; i < kWords; i += gl_WorkGroupSize.x) {
        tileA[i] = wordsA[i];
        tileB[i] = wordsB[i];
    }
    SUM sum;
    coopMatLoad(sum, c, 0, kSize, gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    MATRIX_A x = aLoad(tileA[0], coopvkRowMajor, kDepth / 8u, coopvkVisible, coopvkWorkgroup);
    MATRIX_B y = bLoad(tileB[0], coopvkColumnMajor, kDepth / 8u, coopvkVisible, coopvkWorkgroup);
    sum = product(x, y, sum, ${SIGNS}u);
    coopMatStore(sum, d, 0, kSize, gl_CooperativeMatrixLayoutRowMajor);
}
)",
        {{"HEADER", readShader("coopvk_int4.glsl")},
         {"SIZE", std::to_string(kSize)},
         {"DEPTH", std::to_string(kDepth)},
         {"A", s.a ? "S" : "U"},
         {"B", s.b ? "S" : "U"},
         {"SIGNS", std::to_string(s.literal())}});
    return compileGlsl(source, Checked::kNo);
}

void expectProduct(const Signs& s, const Nibbles& left, const Nibbles& right) {
    Nibbles a = left, b = right;
    Rng rng("SlicedInt4");
    const NibbleMemory rows = memoryOf("u32", false, kSize, kDepth);
    const NibbleMemory columns = memoryOf("u32", true, kDepth, kSize);
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(bytesOf(rows, kSize, kDepth)),
                        rng.bytes(bytesOf(columns, kDepth, kSize)), rng.bytes(kSize * kSize * 4),
                        rng.bytes(kSize * kSize * 4)};
    scatter(a, rows, dispatch.buffers[0]);
    scatter(b, columns, dispatch.buffers[1]);
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderIntegerDotProduct = false;
    device.maxSubgroupSize = 32;
    device.shaderFloat16 = true;
    const Words words = kernel(s), made = rewrittenFor(device, words);
    const std::string text = disassemble(made);
    const bool areExact = s.a == s.aAsSigned && s.b == s.bAsSigned;
    EXPECT_NE(text.find("coopvk_slice"), std::string::npos);
    EXPECT_EQ(text.find("OpTypeFloat 16") != std::string::npos, areExact);
    SCOPED_TRACE(
        std::format("A {}, B {}, signs {}", s.a ? "s4" : "u4", s.b ? "s4" : "u4", s.literal()));
    expectNumbersAsReference(words, dispatch, Component::kS32, {}, &made);
}

// Types and operands of either sign; those of the other sign than their type are not exact.
TEST(SlicedInt4Products, Signs) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Rng rng("SlicedInt4Signs");
    for (uint32_t bits = 0; bits < 16; ++bits) {
        const Signs s = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
        expectProduct(s, randomNibbles(rng, kSize, kDepth, s.a),
                      randomNibbles(rng, kDepth, kSize, s.b));
    }
}

// Every sum is as large as can be.
TEST(SlicedInt4Products, Extremes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (uint32_t bits = 0; bits < 4; ++bits) {
        const bool a = (bits & 1) != 0, b = (bits & 2) != 0;
        Nibbles left(kSize, kDepth, a), right(kDepth, kSize, b);
        std::ranges::fill(left.bits, a ? 8u : 15u);
        std::ranges::fill(right.bits, b ? 8u : 15u);
        expectProduct({a, b, a, b}, left, right);
    }
}

}  // namespace
}  // namespace coopvk::test::sliced_int4_test
