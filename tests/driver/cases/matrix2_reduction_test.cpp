// SPDX-License-Identifier: Apache-2.0
//
// Reductions of matrices: of each row, of each column, of all elements, of each 2x2 neighbours, by
// functions of the shader's own, with results of other sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {
namespace {

struct Combine {
    const char* name;
    const char* glsl;  // combine(E x, E y)
    double (*expected)(double x, double y);
};
constexpr Combine kCombines[] = {
    {"Sum", "E combine(const in E x, const in E y) { return x + y; }",
     [](double x, double y) { return x + y; }},
    {"Greatest", "E combine(const in E x, const in E y) { return max(x, y); }",
     [](double x, double y) { return std::max(x, y); }},
    // Reads memory and calls a function.
    {"Least",
     "E least(E x, E y) { return x < y ? x : y; }\n"
     "E combine(const in E x, const in E y) { return push.n[0] == 3 ? least(x, y) : x; }",
     [](double x, double y) { return std::min(x, y); }},
};

enum class Reduce { kRow, kColumn, kAll, k2x2 };
struct ReduceInfo {
    Reduce reduce;
    const char* glsl;
};
constexpr ReduceInfo kReduces[] = {{Reduce::kRow, "Row"},
                                   {Reduce::kColumn, "Column"},
                                   {Reduce::kAll, "RowAndColumn"},
                                   {Reduce::k2x2, "2x2"}};

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
    return std::string(kReduces[c.reduce].glsl) + "_" + kCombines[c.combine].name + "_" +
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

// The elements that are combined to an element of the result.
Matrix expected(const Matrix& in, const Case& c) {
    const Sizes& s = c.size();
    const Reduce reduce = kReduces[c.reduce].reduce;
    Matrix want(c.component, s.resultRows, s.resultColumns);
    for (uint32_t row = 0; row < want.rows; ++row) {
        for (uint32_t column = 0; column < want.columns; ++column) {
            uint32_t r0 = 0, r1 = in.rows, c0 = 0, c1 = in.columns;
            if (reduce == Reduce::kRow) r0 = row, r1 = row + 1;
            if (reduce == Reduce::kColumn) c0 = column, c1 = column + 1;
            if (reduce == Reduce::k2x2) r0 = 2 * row, r1 = r0 + 2, c0 = 2 * column, c1 = c0 + 2;
            double value = 0;
            for (uint32_t r = r0; r < r1; ++r)
                for (uint32_t k = c0; k < c1; ++k) {
                    const double element = numberAt(in, r, k);
                    value = r == r0 && k == c0 ? element
                                               : kCombines[c.combine].expected(value, element);
                }
            setNumber(want, row, column, value);
        }
    }
    return want;
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
        "coopMatReduceNV(D, A, gl_CooperativeMatrixReduce" + kReduces[c.reduce].glsl +
        "NV, combine);\n" + glsl::store("D", "d", std::to_string(s.resultColumns)) + "}\n";
    if (c.isExt) source = asExt(source);
    Rng rng(caseName(c));
    const Matrix in = randomMatrix(rng, c.component, s.rows, s.columns, Fill::kSmall);
    const Matrix want = expected(in, c);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, want)};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectMatrix(source, c.group, dispatch, 3, want);
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
    Matrix part[2] = {{Component::kF32, kRows, kColumns}, {Component::kF32, kRows, kColumns}};
    Matrix want(Component::kF32, kRows, kColumns);
    for (uint32_t i = 0; i < 2; ++i) {
        double sums[kColumns] = {};
        for (uint32_t row = 0; row < kRows; ++row) {
            double greatest = -INFINITY;
            for (uint32_t k = 0; k < kColumns; ++k)
                greatest = std::max(greatest, numberAt(in, i * kRows + row, k));
            for (uint32_t k = 0; k < kColumns; ++k) {
                setNumber(part[i], row, k, numberAt(in, i * kRows + row, k) - greatest);
                sums[k] += numberAt(part[i], row, k);
            }
        }
        for (uint32_t row = 0; row < kRows; ++row)
            for (uint32_t k = 0; k < kColumns; ++k)
                setNumber(part[i], row, k, numberAt(part[i], row, k) + sums[k]);
    }
    for (uint32_t row = 0; row < kRows; ++row)
        for (uint32_t k = 0; k < kColumns; ++k)
            setNumber(want, row, k, numberAt(part[0], row, k) - numberAt(part[1], row, k));
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, want)};
    expectMatrix(source, group, dispatch, 3, want);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Softmax,
                         testing::ValuesIn(matrixGroupsOf(GroupTest::kSoftmax)),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test
