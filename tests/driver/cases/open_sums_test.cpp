// SPDX-License-Identifier: Apache-2.0
//
// f16 accumulators of which the code keeps partial sums while a loop adds products to them, as on
// GPUs: two f16 each, or one f32 with mixed dot products (which are replaced by their definition).
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/mixed_dots.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::open_sums_test {
namespace {

using enum Component;

constexpr uint32_t kM = 8, kN = 8, kK = 16, kTurns = 3, kDepth = kK * kTurns;

// A shader that adds `turns` products to C in sums[0], and to zero in sums[1]. `behind` follows the
// loop; sums[0] is the result.
std::string shaderText(std::string_view behind) {
    const std::string accumulator = glsl::matrix(kF16, kM, kN, Use::kAccumulator);
    const std::string depth = std::to_string(kDepth);
    return glsl::header() + glsl::buffer(0, "a", "float16_t") + glsl::buffer(1, "b", "float16_t") +
           glsl::buffer(2, "c", "float16_t") + glsl::buffer(3, "d", "float16_t") +
           "layout(push_constant) uniform Push { uint turns; } push;\n#define Sums " + accumulator +
           "\nSums through(Sums m) {\nm[0] = m[0] + float16_t(0);\nreturn m;\n}\n" +
           "void main() {\n" + glsl::matrix(kF16, kM, kK, Use::kA) + " A;\n" +
           glsl::matrix(kF16, kK, kN, Use::kB) + " B;\nSums C, sums[2];\n" +
           glsl::load("C", "c", std::to_string(kN)) + "sums[0] = C;\nsums[1] = Sums(0.0);\n" +
           "for (uint k = 0; k < push.turns; ++k) {\n" +
           glsl::load("A", "a", depth, false, "k * 16") +
           glsl::load("B", "b", depth, true, "k * 16") +
           "for (uint s = 0; s < 2; ++s) sums[s] = coopMatMulAdd(A, B, sums[s]);\n}\n" +
           std::string(behind) + glsl::store("sums[0]", "d", std::to_string(kN)) + "}\n";
}

enum class Way { kHalves, kProductsFirst, kAccumulatorFirst };
constexpr Way kWays[] = {Way::kHalves, Way::kProductsFirst, Way::kAccumulatorFirst};

Words shaderOf(std::string_view behind, Way way) {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = way != Way::kHalves;
    const Words words = rewrittenFor(device, compileGlsl(shaderText(behind)));
    if (way == Way::kHalves) return words;
    DefinedDots defined = withDotsDefined(
        words, way == Way::kProductsFirst ? DotOrder::kProductsFirst : DotOrder::kAccumulatorFirst);
    EXPECT_GT(defined.count, 0u);
    return std::move(defined.words);
}

Bytes laidOut(const Matrix& matrix, bool columnMajor) {
    const Placement placement = tight(matrix, columnMajor);
    Bytes bytes(placement.size(matrix));
    scatter(matrix, placement, bytes);
    return bytes;
}

Matrix resultOf(const Words& words, const Matrix& a, const Matrix& b, const Matrix& c,
                uint32_t turns) {
    Rng rng("OpenSums result");
    Dispatch dispatch;
    dispatch.buffers = {laidOut(a, false), laidOut(b, true), pack(c), rng.bytes(pack(c).size())};
    dispatch.push = pushWords({turns});
    return unpack(kF16, kM, kN, run(words, dispatch)[3]);
}

void expectProduct(std::string_view behind, Way way, Fill fill) {
    Rng rng("OpenSums");
    const Matrix a = randomMatrix(rng, kF16, kM, kDepth, fill);
    const Matrix b = randomMatrix(rng, kF16, kDepth, kN, fill);
    const Matrix c = randomMatrix(rng, kF16, kM, kN, fill);
    const Matrix result = resultOf(shaderOf(behind, way), a, b, c, kTurns);
    EXPECT_EQ(difference(result, mulAdd(a, b, c, kF16, 0, /*exact=*/fill == Fill::kSmall)), "")
        << behind << ", way " << static_cast<int>(way);
}

TEST(OpenSumsMulAdd, Loop) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const Way way : kWays) {
        for (const Fill fill : {Fill::kSmall, Fill::kUnit}) expectProduct("", way, fill);
    }
}

// Instructions that read or write the accumulators after the loop, without changing the result.
TEST(OpenSumsMulAdd, OtherUses) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string perElement = "for (int i = 0; i < C.length(); ++i) ";
    const std::string uses[] = {
        perElement + "sums[0][i] = clamp(sums[0][i], float16_t(-65504), float16_t(65504));\n",
        perElement + "sums[0][i] = sums[1][i] + C[i];\n",
        "sums[0] = sums[1] + C;\n",
        "sums[0] = -(sums[0] * float16_t(-1));\n",
        "sums[0] = Sums(" + glsl::matrix(kF32, kM, kN, Use::kAccumulator) + "(sums[0]));\n",
        "sums[0] = push.turns > 5 ? sums[1] : sums[0];\n",
        "sums[0] = through(sums[0]);\n",
        "Sums other = sums[0];\nfloat16_t first = other[0];\nother[0] = float16_t(9);\n"
        "sums[0][0] = first;\n",
    };
    for (const Way way : {Way::kHalves, Way::kProductsFirst}) {
        for (const std::string& use : uses) expectProduct(use, way, Fill::kSmall);
    }
}

// Accumulators to which no product was added keep all bits, also zeros and denormals.
TEST(OpenSumsMulAdd, NothingAdded) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Rng rng("OpenSums nothing");
    const Matrix a = randomMatrix(rng, kF16, kM, kDepth, Fill::kUnit);
    const Matrix b = randomMatrix(rng, kF16, kDepth, kN, Fill::kUnit);
    Matrix c = randomMatrix(rng, kF16, kM, kN, Fill::kBits);
    const uint64_t special[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00};
    for (uint32_t i = 0; i < std::size(special); ++i) c.at(i, i) = special[i];
    for (const Way way : {Way::kHalves, Way::kProductsFirst}) {
        const Matrix result = resultOf(shaderOf("", way), a, b, c, 0);
        EXPECT_EQ(difference(result, c), "") << "way " << static_cast<int>(way);
    }
}

}  // namespace
}  // namespace coopvk::test::open_sums_test
