// SPDX-License-Identifier: Apache-2.0
//
// Matrices that change their use: accumulators that become A or B, A and B that become
// accumulators, with and without another component type, transposed and not.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix2_conversion_test {
namespace {

struct Types {
    Component from, to;
};
constexpr Types kNarrowing[] = {{Component::kF32, Component::kF16},
                                {Component::kF16, Component::kF16},
                                {Component::kS32, Component::kS8},
                                {Component::kU32, Component::kU8},
                                {Component::kBF16, Component::kE5M2}};
constexpr Types kWidening[] = {{Component::kF16, Component::kF32},
                               {Component::kF16, Component::kF16},
                               {Component::kS8, Component::kS32},
                               {Component::kU8, Component::kU32},
                               {Component::kE4M3, Component::kF16}};

struct Case {
    Types types;
    Use from, to;
    uint32_t rows, columns;
    MatrixGroup group;
    bool transposes = false;
    bool isExt = false;
};

std::string caseName(const Case& c) {
    return std::string(name(c.types.from)) + "_" + "ABC"[static_cast<int>(c.from)] + "_to_" +
           std::string(name(c.types.to)) + "_" + "ABC"[static_cast<int>(c.to)] +
           (c.transposes ? "_transposed_" : "_") + std::to_string(c.rows) + "x" +
           std::to_string(c.columns) + "_" + nameOf(c.group) + (c.isExt ? "_EXT" : "");
}

std::vector<Case> cases() {
    constexpr uint32_t kSizes[][2] = {{16, 16}, {32, 48}, {64, 16}, {48, 80}};
    std::vector<Case> all;
    for (size_t types = 0; types < std::size(kNarrowing); ++types) {
        for (const auto& [rows, columns] : kSizes) {
            for (const MatrixGroup& group : matrixGroups()) {
                for (const Use use : {Use::kA, Use::kB}) {
                    const Case c = {
                        kNarrowing[types], Use::kAccumulator, use, rows, columns, group};
                    all.push_back(c);
                    all.push_back(c);
                    all.back().isExt = true;
                    all.push_back(all.back());
                    all.back().transposes = true;
                    // GLSL transposes accumulators alone.
                    all.push_back({kWidening[types], use, Use::kAccumulator, rows, columns, group,
                                   false, true});
                }
                all.push_back(
                    {kNarrowing[types], Use::kAccumulator, Use::kB, rows, columns, group, true});
            }
        }
    }
    return covering(all, [](const Case& c) {
        return factors(c.types.from, c.types.to,
                       static_cast<int>(c.from) * 3 + static_cast<int>(c.to),
                       c.rows * 100 + c.columns, nameOf(c.group), c.transposes * 2 + c.isExt);
    });
}

class Matrix2Use : public testing::TestWithParam<Case> {};

TEST_P(Matrix2Use, MatchesReference) {
    const Case& c = GetParam();
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    for (const Component component : {c.types.from, c.types.to}) COOPVK_REQUIRE(component);
    COOPVK_REQUIRE(c.isExt ? Requirement::kMatrixMaintenance1 : Requirement::kMatrixConversions);
    Rng rng(caseName(c));
    const Matrix in = randomMatrix(rng, c.types.from, c.rows, c.columns, Fill::kBits);
    const Matrix want(c.types.to, c.transposes ? c.columns : c.rows,
                      c.transposes ? c.rows : c.columns);
    COOPVK_REQUIRE((NeededMatrices{{c.types.from, c.rows, c.columns, c.from, c.group},
                                   {c.types.to, want.rows, want.columns, c.to, c.group}}));
    const std::string type = glsl::matrix(c.types.to, want.rows, want.columns, c.to);
    std::string source = matrix2Header() + glsl::buffer(0, "a", glsl::scalar(c.types.from)) +
                         glsl::buffer(3, "d", glsl::scalar(c.types.to)) + "void main() {\n" +
                         glsl::matrix(c.types.from, c.rows, c.columns, c.from) + " A;\n" + type +
                         " D;\n" + glsl::load("A", "a", std::to_string(c.columns)) +
                         (c.transposes ? "coopMatTransposeNV(D, A);\n" : "D = " + type + "(A);\n") +
                         glsl::store("D", "d", std::to_string(want.columns)) + "}\n";
    if (c.isExt) source = asExt(source);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, want)};
    expectMatrix(source, c.group, dispatch, c.types.to);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Use, testing::ValuesIn(cases()),
                         [](const auto& param) { return caseName(param.param); });

// ---------------------------------------------------------------------------------------------
// Matrices of several subgroups

class Matrix2Together : public testing::TestWithParam<uint32_t> {};

// Each subgroup of a workgroup transposes its own matrix at the same time as the others. The
// matrices are so large that GPUs use shared memory; with many subgroups, each gets only a part of
// it.
TEST_P(Matrix2Together, SubgroupsDoNotMix) {
    const uint32_t subgroups = GetParam();
    if (const std::string why = missing(MatrixGroup{}); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixConversions);
    constexpr uint32_t kRows = 32, kColumns = 48, kElements = kRows * kColumns;
    Rng rng("SubgroupsDoNotMix" + std::to_string(subgroups));
    const Matrix in = randomMatrix(rng, Component::kF16, kRows * subgroups, kColumns, Fill::kBits);
    std::string source = matrix2Header();
    const std::string height = "local_size_y = 1";
    source.replace(source.find(height), height.size(),
                   "local_size_y = " + std::to_string(subgroups));
    source += glsl::buffer(0, "a", "float16_t") + glsl::buffer(3, "d", "float16_t") +
              "void main() {\nconst uint first = gl_SubgroupID * " + std::to_string(kElements) +
              ";\n" + glsl::matrix(Component::kF16, kRows, kColumns, Use::kAccumulator) + " A;\n" +
              glsl::matrix(Component::kF16, kColumns, kRows, Use::kB) + " D;\n" +
              glsl::load("A", "a", "48", false, "first") + "coopMatTransposeNV(D, A);\n" +
              glsl::store("D", "d", "32", false, "first") + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, in)};
    expectMatrix(source, MatrixGroup{}, dispatch, Component::kF16);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Together, testing::Values(2, 16));

// ---------------------------------------------------------------------------------------------
// Products of products

class Matrix2Chain : public testing::TestWithParam<MatrixGroup> {};

// A product's result is a factor of the next one: as A, as B, and transposed.
TEST_P(Matrix2Chain, ResultsAreFactors) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixConversions);
    constexpr uint32_t kM = 32, kN = 48, kK = 16;
    const std::string sum = glsl::matrix(Component::kF32, kM, kN, Use::kAccumulator);
    const std::string asA = glsl::matrix(Component::kF16, kM, kN, Use::kA);
    const std::string asB = glsl::matrix(Component::kF16, kN, kM, Use::kB);
    const std::string half = glsl::matrix(Component::kF16, kM, kN, Use::kAccumulator);
    const std::string square = glsl::matrix(Component::kF32, kM, kM, Use::kAccumulator);
    const std::string source = matrix2Header() + glsl::buffer(0, "a", "float16_t") +
                               glsl::buffer(1, "b", "float16_t") + glsl::buffer(3, "d", "float") +
                               "void main() {\n" + glsl::matrix(Component::kF16, kM, kK, Use::kA) +
                               " A;\n" + glsl::matrix(Component::kF16, kK, kN, Use::kB) + " B;\n" +
                               asB + " T;\n" + glsl::load("A", "a", "16") +
                               glsl::load("B", "b", "48") + sum + " P = coopMatMulAdd(A, B, " +
                               sum + "(0));\n" + "coopMatTransposeNV(T, " + half + "(P));\n" +
                               square + " D = coopMatMulAdd(" + asA + "(P), T, " + square +
                               "(1));\n" + glsl::store("D", "d", "32") + "}\n";
    Rng rng("ResultsAreFactors" + nameOf(group));
    Matrix a(Component::kF16, kM, kK), b(Component::kF16, kK, kN);
    // Few different values, so that the second product's sums stay exact.
    for (Matrix* matrix : {&a, &b})
        for (uint64_t& element : matrix->elements)
            element = fromDouble(Component::kF16, static_cast<double>(rng.range(-1, 1)));
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), Bytes(4), poison(rng, Matrix(Component::kF32, kM, kM))};
    expectMatrix(source, group, dispatch, Component::kF32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Chain, testing::ValuesIn(matrixGroupsOf(GroupTest::kChain)),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_conversion_test
