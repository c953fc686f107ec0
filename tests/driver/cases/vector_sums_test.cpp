// SPDX-License-Identifier: Apache-2.0
//
// Products of vectors with f16 results whose sums are rounded: invocations of full subgroups, which
// compute together as a tile, and those of others, which compute alone, get the same bits.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/compute.hpp"
#include "harness/context.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_sums_test {
namespace {

constexpr MatrixType kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;

// The matrix is in the inferencing-optimal layout, of which lines have padding.
struct Shape {
    uint32_t m, k;
    bool hasBias;

    // Bytes of a vector, with what is behind it.
    uint32_t inputBytes() const { return (2 * k + 15) / 16 * 16; }
    uint32_t resultBytes() const { return (2 * m + 15) / 16 * 16; }
};

struct Values {
    std::vector<double> inputs;   // of each invocation K
    std::vector<double> weights;  // M x K
    std::vector<double> bias;     // M
};

uint32_t invocations() { return std::max(32u, Context::get().subgroupSize); }
bool takesPart(uint32_t invocation) { return invocation % 3 != 1; }

// All invocations multiply, or only those that take part in a partial subgroup.
Words shaderOf(const Shape& s, bool all) {
    const std::string m = std::to_string(s.m), k = std::to_string(s.k);
    return compileGlsl(vectorHeader(invocations()) +
                       "layout(set = 0, binding = 0) readonly buffer A { float16_t a[]; };\n"
                       "layout(set = 0, binding = 1) readonly buffer W { uint w[]; };\n"
                       "layout(set = 0, binding = 2) readonly buffer B { uint b[]; };\n"
                       "layout(set = 0, binding = 3) buffer R { float16_t r[]; };\n"
                       "void main() {\n  uint i = gl_LocalInvocationIndex;\n"
                       "  coopvecNV<float16_t, " +
                       k + "> v;\n  coopVecLoadNV(v, a, i * " + std::to_string(s.inputBytes()) +
                       ");\n  coopvecNV<float16_t, " + m + "> o;\n" +
                       (all ? "" : "  if (i % 3 == 1) return;\n") + "  coopVecMatMul" +
                       (s.hasBias ? "Add" : "") +
                       "NV(o, v, gl_ComponentTypeFloat16NV, w, 0, "
                       "gl_ComponentTypeFloat16NV, " +
                       (s.hasBias ? "b, 0, gl_ComponentTypeFloat16NV, " : "") + m + ", " + k +
                       ", gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);\n"
                       "  coopVecStoreNV(o, r, i * " +
                       std::to_string(s.resultBytes()) + ");\n}\n");
}

Bytes halves(std::span<const double> values, uint32_t line, uint32_t lineBytes) {
    Bytes bytes(values.size() / line * lineBytes, std::byte{0xff});
    for (size_t i = 0; i < values.size(); ++i) {
        writeElement(bytes, i / line * lineBytes + i % line * 2, kF16,
                     encodeElement(kF16, values[i]));
    }
    return bytes;
}

// Results as bits: of each invocation M.
std::vector<uint32_t> products(const Shape& s, const Values& values,
                               Words (*rewritten)(const Words&), bool all) {
    const ConversionRequest request = {{kF16, kRowMajor, s.k * 2}, {kF16, kInferencing}, s.m, s.k};
    const Bytes blob = convertOnHost(request, halves(values.weights, s.k, s.k * 2),
                                     Bytes(querySize(request), std::byte{0xff}));
    Dispatch dispatch;
    dispatch.buffers = {halves(values.inputs, s.k, s.inputBytes()), blob,
                        halves(values.bias, s.m, s.resultBytes()),
                        Bytes(invocations() * s.resultBytes(), std::byte{0x7e})};
    const Bytes after = run(rewritten(shaderOf(s, all)), dispatch)[3];
    std::vector<uint32_t> bits;
    for (uint32_t i = 0; i < invocations() * s.m; ++i) {
        bits.push_back(readElement(after, i / s.m * s.resultBytes() + i % s.m * 2, kF16));
    }
    return bits;
}

void expectEqualBits(const Shape& s, const Values& values, Words (*rewritten)(const Words&)) {
    const std::vector<uint32_t> full = products(s, values, rewritten, true);
    const std::vector<uint32_t> partial = products(s, values, rewritten, false);
    for (uint32_t i = 0; i < full.size(); ++i) {
        if (!takesPart(i / s.m)) continue;
        ASSERT_EQ(full[i], partial[i]) << s.m << "x" << s.k << (s.hasBias ? " with bias" : "")
                                       << ", invocation " << i / s.m << ", row " << i % s.m;
    }
}

Words forManyRegisters(const Words& words) {
    rewrite::DeviceTraits device = gpuWithManyRegisters();
    device.subgroupVote = device.subgroupBallot = true;
    return rewrittenFor(device, words);
}

// NVIDIA's compiler splits chains of multiply-adds that have no NoContraction, each chain in its
// own way: there only the setting numerics = same gives equal bits.
bool keepsMultiplyAdds() {
    return Context::get().properties12.driverID != VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

TEST(VectorMultiplySums, AreTheSameInFullAndPartialSubgroups) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    if (!keepsMultiplyAdds()) GTEST_SKIP() << "the driver rearranges multiply-adds";
    Rng rng("VectorMultiplySums");
    for (const Shape& s : {Shape{16, 64, false}, {21, 36, true}, {32, 160, true}}) {
        Values values;
        for (uint32_t i = 0; i < invocations() * s.k; ++i) {
            values.inputs.push_back(2 * rng.unit() - 1);
        }
        for (uint32_t i = 0; i < s.m * s.k; ++i) values.weights.push_back(2 * rng.unit() - 1);
        for (uint32_t i = 0; i < s.m; ++i) values.bias.push_back(2 * rng.unit() - 1);
        expectEqualBits(s, values, forFewRegistersAndTiles);
        expectEqualBits(s, values, forManyRegisters);
    }
}

// The last products of both halves of a pair are -2^-28, which is -0 as f16: what the padding of
// the line adds makes it 0.
TEST(VectorMultiplySums, HaveTheSameZeros) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Shape s = {16, 36, false};
    Values values{std::vector<double>(invocations() * s.k, 0x1p-14),
                  std::vector<double>(s.m * s.k, 0), std::vector<double>(s.m, 0)};
    for (uint32_t row = 0; row < s.m; ++row) {
        values.weights[row * s.k + 34] = values.weights[row * s.k + 35] = -0x1p-14;
    }
    expectEqualBits(s, values, forFewRegistersAndTiles);
    expectEqualBits(s, values, forManyRegisters);
}

// 2048 of the even components, 1 of the odd ones and 1 of the bias: f16 has 2050 but not 2049,
// which it rounds to 2048.
TEST(VectorMultiplySums, AreRoundedOnceWithTheBias) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Shape s = {16, 64, true};
    Values values{std::vector<double>(invocations() * s.k, 1), std::vector<double>(s.m * s.k, 0),
                  std::vector<double>(s.m, 1)};
    for (uint32_t row = 0; row < s.m; ++row) {
        values.weights[row * s.k] = 2048;
        values.weights[row * s.k + 1] = 1;
    }
    for (Words (*rewritten)(const Words&) : {forFewRegistersAndTiles, forManyRegisters}) {
        for (const bool all : {true, false}) {
            const std::vector<uint32_t> bits = products(s, values, rewritten, all);
            for (uint32_t i = 0; i < bits.size(); ++i) {
                if (!all && !takesPart(i / s.m)) continue;
                ASSERT_EQ(decodeElement(kF16, bits[i]), 2050) << "row " << i % s.m;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::test::vector_sums_test
