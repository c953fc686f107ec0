// SPDX-License-Identifier: Apache-2.0
//
// Products of f16 into f32 with VK_VALVE_shader_mixed_float_dot_product. No CPU driver has it, so
// the tests replace its instruction by its definition before the shader runs.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/mixed_dots.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::mixed_dot_test {
namespace {

using enum Component;

struct MixedCase {
    uint32_t m, n, k;
    bool aColumnMajor, bColumnMajor;
};

Words shaderOf(const MixedCase& c) {
    const auto size = [](uint32_t value) { return std::to_string(value); };
    return compileGlsl(
        glsl::header() + glsl::buffer(0, "a", "float16_t") + glsl::buffer(1, "b", "float16_t") +
        glsl::buffer(2, "c", "float") + glsl::buffer(3, "d", "float") + "void main() {\n" +
        glsl::matrix(kF16, c.m, c.k, Use::kA) + " A;\n" + glsl::matrix(kF16, c.k, c.n, Use::kB) +
        " B;\n" + glsl::matrix(kF32, c.m, c.n, Use::kAccumulator) + " C, D;\n" +
        glsl::load("A", "a", size(c.aColumnMajor ? c.m : c.k), c.aColumnMajor) +
        glsl::load("B", "b", size(c.bColumnMajor ? c.k : c.n), c.bColumnMajor) +
        glsl::load("C", "c", size(c.n)) + "D = coopMatMulAdd(A, B, C);\n" +
        glsl::store("D", "d", size(c.n)) + "}\n");
}

Bytes laidOut(const Matrix& matrix, bool columnMajor) {
    const Placement placement = tight(matrix, columnMajor);
    Bytes bytes(placement.size(matrix));
    scatter(matrix, placement, bytes);
    return bytes;
}

// Both orders of additions stay within the allowed error of a product; sums of small integers are
// exact.
void expectProduct(const MixedCase& c, Fill fill, DotOrder order) {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    const Words rewritten = rewrittenFor(device, shaderOf(c));
    const DefinedDots defined = withDotsDefined(rewritten, order);
    EXPECT_GT(defined.count, 0u);
    Rng rng("MixedDots");
    const Matrix a = randomMatrix(rng, kF16, c.m, c.k, fill);
    const Matrix b = randomMatrix(rng, kF16, c.k, c.n, fill);
    const Matrix addend = randomMatrix(rng, kF32, c.m, c.n, fill);
    Dispatch dispatch;
    dispatch.buffers = {laidOut(a, c.aColumnMajor), laidOut(b, c.bColumnMajor), pack(addend),
                        rng.bytes(pack(addend).size())};
    const std::vector<Bytes> after = run(defined.words, dispatch);
    EXPECT_EQ(difference(unpack(kF32, c.m, c.n, after[3]),
                         mulAdd(a, b, addend, kF32, 0, /*exact=*/fill == Fill::kSmall)),
              "")
        << c.m << "x" << c.n << "x" << c.k << (c.bColumnMajor ? ", B by columns" : ", B by rows");
}

TEST(MixedDotMulAdd, EitherOrder) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const MixedCase cases[] = {
        {8, 8, 16, false, false}, {8, 8, 16, true, true}, {16, 8, 8, false, true}};
    for (const MixedCase& c : cases) {
        for (const Fill fill : {Fill::kSmall, Fill::kUnit}) {
            for (const DotOrder order : {DotOrder::kProductsFirst, DotOrder::kAccumulatorFirst}) {
                expectProduct(c, fill, order);
            }
        }
    }
}

// Where K is odd there are no pairs along it.
TEST(MixedDotMulAdd, NoPairs) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    const Words words = rewrittenFor(device, shaderOf({8, 8, 5, false, false}));
    EXPECT_EQ(withDotsDefined(words, DotOrder::kProductsFirst).count, 0u);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = false;
    const Words without = rewrittenFor(device, shaderOf({8, 8, 16, false, false}));
    EXPECT_EQ(withDotsDefined(without, DotOrder::kProductsFirst).count, 0u);
}

}  // namespace
}  // namespace coopvk::test::mixed_dot_test
