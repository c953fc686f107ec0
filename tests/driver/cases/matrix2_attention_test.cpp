// SPDX-License-Identifier: Apache-2.0
//
// Products whose results go through reductions, per-element operations and conversions in a loop,
// as those of flash attention. The driver's matrices compute products at most, so values change
// between their distribution and coopvk's.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix2_attention_test {
namespace {

// Q: rows x depth. In each of kSteps steps K: depth x keys, V: keys x values.
struct Sizes {
    uint32_t rows, depth, keys, values;
};
constexpr uint32_t kSteps = 2;

// The matrices of a workgroup have tiles for all its subgroups.
Sizes sizesFor(const MatrixGroup& group) {
    return group.isWorkgroup ? Sizes{32, 32, 64, 32} : Sizes{16, 16, 32, 16};
}

class Matrix2Attention : public testing::TestWithParam<MatrixGroup> {};

std::string source(const Sizes& z) {
    const std::string scores = glsl::matrix(Component::kF32, z.rows, z.keys, Use::kAccumulator);
    const std::string sums = glsl::matrix(Component::kF32, z.rows, z.values, Use::kAccumulator);
    const std::string keys = std::to_string(z.keys), values = std::to_string(z.values);
    return matrix2Header() + glsl::buffer(0, "q", "float16_t") + glsl::buffer(1, "k", "float16_t") +
           glsl::buffer(2, "v", "float16_t") + glsl::buffer(3, "d", "float") +
           "float greatest(const in float x, const in float y) { return max(x, y); }\n"
           "float first(const in float x, const in float y) { return x; }\n"
           "float weight(const in uint row, const in uint column, const in float x) {\n"
           "return max(x, -3.0) + float((row + column) % 2); }\n"
           "void main() {\n" +
           glsl::matrix(Component::kF16, z.rows, z.depth, Use::kA) + " Q;\n" +
           glsl::matrix(Component::kF16, z.depth, z.keys, Use::kB) + " K;\n" +
           glsl::matrix(Component::kF16, z.keys, z.values, Use::kB) + " V;\n" + scores +
           " S, most, before = " + scores + "(0.0);\n" + sums + " scale, O = " + sums + "(0.0);\n" +
           glsl::load("Q", "q", std::to_string(z.depth)) + "for (uint i = 0; i < " +
           std::to_string(kSteps) + "; ++i) {\n" +
           glsl::load("K", "k", keys, false, "i * " + std::to_string(z.depth * z.keys)) +
           glsl::load("V", "v", values, false, "i * " + std::to_string(z.keys * z.values)) +
           "S = coopMatMulAdd(Q, K, before);\n"
           "coopMatReduceNV(most, S, gl_CooperativeMatrixReduceRowNV, greatest);\n"
           "S = S - most;\n"
           "coopMatPerElementNV(S, S, weight);\n" +
           glsl::matrix(Component::kF16, z.rows, z.keys, Use::kA) +
           " P = " + glsl::matrix(Component::kF16, z.rows, z.keys, Use::kA) +
           "(S);\n"
           "coopMatReduceNV(scale, most, gl_CooperativeMatrixReduceRowNV, first);\n"
           "O = coopMatMulAdd(P, V, O + scale);\n"
           "before = before + S;\n"
           "}\n" +
           glsl::store("O", "d", values) + "}\n";
}

TEST_P(Matrix2Attention, MatchesReference) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    const Sizes z = sizesFor(group);
    Rng rng("Attention" + nameOf(group));
    const Matrix q = randomMatrix(rng, Component::kF16, z.rows, z.depth, Fill::kSmall);
    const Matrix k = randomMatrix(rng, Component::kF16, kSteps * z.depth, z.keys, Fill::kSmall);
    const Matrix v = randomMatrix(rng, Component::kF16, kSteps * z.keys, z.values, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(q), pack(k), pack(v),
                        poison(rng, Matrix(Component::kF32, z.rows, z.values))};
    const Words shader = compileGlsl(inGroup(source(z), group));
    // Values are in variables, or in SSA form.
    const bool isSsa = group.invocations() % 64 == 0;
    expectNumbersAsReference(isSsa ? inSsaForm(shader) : shader, dispatch, Component::kF32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Attention,
                         testing::ValuesIn(matrixGroupsOf(GroupTest::kSoftmax)),
                         [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_attention_test
