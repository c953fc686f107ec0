// SPDX-License-Identifier: Apache-2.0
//
// Reductions of matrices: of each row, of each column, of all elements, of each 2x2 neighbours, by
// functions of the shader's own, with results of other sizes.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix2_reduction_test {
namespace {

struct Combine {
    const char* name;
    const char* glsl;  // combine(E x, E y)
};
constexpr Combine kCombines[] = {
    {"Sum", "E combine(const in E x, const in E y) { return x + y; }"},
    {"Greatest", "E combine(const in E x, const in E y) { return max(x, y); }"},
    // Reads memory and calls a function.
    {"Least",
     "E least(E x, E y) { return x < y ? x : y; }\n"
     "E combine(const in E x, const in E y) { return push.n[0] == 3 ? least(x, y) : x; }"},
};

constexpr const char* kReduces[] = {"Row", "Column", "RowAndColumn", "2x2"};

struct Sizes {
    uint32_t rows, columns;
    uint32_t resultRows, resultColumns;
};
// Of each kind, smaller, equal and larger results.
constexpr Sizes kSizes[][4] = {
    {{16, 16, 16, 16}, {32, 48, 32, 16}, {48, 32, 48, 64}, {64, 64, 64, 64}},
    {{16, 16, 16, 16}, {48, 32, 16, 32}, {32, 48, 64, 48}, {64, 64, 64, 64}},
    {{16, 16, 16, 16}, {48, 32, 16, 16}, {32, 48, 64, 32}, {64, 64, 16, 80}},
    {{32, 32, 16, 16}, {64, 32, 32, 16}, {32, 96, 16, 48}, {32, 64, 16, 32}},
};

struct Case {
    size_t reduce, sizes, combine;
    Component component;
    MatrixGroup group;
    bool isExt;
    const Sizes& size() const { return kSizes[reduce][sizes]; }
};

std::string caseName(const Case& c) {
    const Sizes& s = c.size();
    return std::string(kReduces[c.reduce]) + "_" + kCombines[c.combine].name + "_" +
           std::string(name(c.component)) + "_" + std::to_string(s.rows) + "x" +
           std::to_string(s.columns) + "_to_" + std::to_string(s.resultRows) + "x" +
           std::to_string(s.resultColumns) + "_" + nameOf(c.group) + (c.isExt ? "_EXT" : "");
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (size_t reduce = 0; reduce < std::size(kReduces); ++reduce)
        for (size_t sizes = 0; sizes < std::size(kSizes[0]); ++sizes)
            for (size_t combine = 0; combine < std::size(kCombines); ++combine)
                for (const Component component :
                     {Component::kF16, Component::kF32, Component::kS32, Component::kU32})
                    for (const MatrixGroup& group : matrixGroups())
                        all.push_back({reduce, sizes, combine, component, group,
                                       (reduce + sizes + combine) % 2 == 1});
    return covering(all, [](const Case& c) {
        return factors(c.reduce, c.reduce * 10 + c.sizes, c.combine, c.component, nameOf(c.group));
    });
}

class Matrix2Reduction : public testing::TestWithParam<Case> {};

TEST_P(Matrix2Reduction, MatchesReference) {
    const Case& c = GetParam();
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(c.isExt ? Requirement::kMatrixMaintenance1 : Requirement::kMatrixReductions);
    const Sizes& s = c.size();
    const std::string element(glsl::scalar(c.component));
    std::string source =
        matrix2Header() + "#define E " + element + "\n" + glsl::buffer(0, "a", element) +
        glsl::buffer(3, "d", element) +
        "layout(push_constant) uniform Push { uint n[4]; } push;\n" + kCombines[c.combine].glsl +
        "\nvoid main() {\n" + glsl::matrix(c.component, s.rows, s.columns, Use::kAccumulator) +
        " A;\n" + glsl::matrix(c.component, s.resultRows, s.resultColumns, Use::kAccumulator) +
        " D;\n" + glsl::load("A", "a", std::to_string(s.columns)) +
        "coopMatReduceNV(D, A, gl_CooperativeMatrixReduce" + std::string(kReduces[c.reduce]) +
        "NV, combine);\n" + glsl::store("D", "d", std::to_string(s.resultColumns)) + "}\n";
    if (c.isExt) source = asExt(source);
    Rng rng(caseName(c));
    const Matrix in = randomMatrix(rng, c.component, s.rows, s.columns, Fill::kSmall);
    const Matrix result(c.component, s.resultRows, s.resultColumns);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, result)};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectMatrix(source, c.group, dispatch, c.component);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Reduction, testing::ValuesIn(cases()),
                         [](const auto& param) { return caseName(param.param); });

// ---------------------------------------------------------------------------------------------
// As in a softmax

class Matrix2Softmax : public testing::TestWithParam<MatrixGroup> {};

// Twice in a loop, with a matrix in an array: its reduction is subtracted from it.
TEST_P(Matrix2Softmax, RowsLessTheirGreatest) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixReductions);
    constexpr uint32_t kRows = 32, kColumns = 32;
    const std::string type = glsl::matrix(Component::kF32, kRows, kColumns, Use::kAccumulator);
    const std::string source =
        matrix2Header() + glsl::buffer(0, "a", "float") + glsl::buffer(3, "d", "float") +
        "float greatest(const in float x, const in float y) { return max(x, y); }\n"
        "float sum(const in float x, const in float y) { return x + y; }\n"
        "void main() {\n" +
        type + " m[2], r;\n" + glsl::load("m[0]", "a", "32") +
        glsl::load("m[1]", "a", "32", false, "1024") +
        "for (uint i = 0; i < 2; ++i) {\n"
        "coopMatReduceNV(r, m[i], gl_CooperativeMatrixReduceRowNV, greatest);\n"
        "m[i] = m[i] - r;\n"
        "coopMatReduceNV(r, m[i], gl_CooperativeMatrixReduceColumnNV, sum);\n"
        "m[i] = m[i] + r;\n}\n"
        "m[0] = m[0] - m[1];\n" +
        glsl::store("m[0]", "d", "32") + "}\n";
    Rng rng("RowsLessTheirGreatest" + nameOf(group));
    const Matrix in = randomMatrix(rng, Component::kF32, 2 * kRows, kColumns, Fill::kSmall);
    const Matrix result(Component::kF32, kRows, kColumns);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, result)};
    expectMatrix(source, group, dispatch, Component::kF32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Softmax,
                         testing::ValuesIn(matrixGroupsOf(GroupTest::kSoftmax)),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_reduction_test
