// SPDX-License-Identifier: Apache-2.0
//
// Functions that are called for each element of a matrix, with its row, its column and further
// arguments, and that may read and write memory; and the coordinates of an element.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix2_element_test {
namespace {

struct Operation {
    const char* name;
    const char* global;  // T: the matrix type, E: its component; N: columns
    const char* body;    // D of A and B
};
constexpr Operation kOperations[] = {
    {"Plain",
     "E f(const in uint32_t row, const in uint32_t col, const in E x) { return x + E(1); }",
     "coopMatPerElementNV(D, A, f);"},
    {"Place",
     "E f(const in uint32_t row, const in uint32_t col, const in E x) "
     "{ return E(int(row % 8) - int(col % 16)) + x; }",
     "coopMatPerElementNV(D, A, f);"},
    {"Mask",
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in uint from) "
     "{ return col >= row + from ? E(0) : x; }",
     "coopMatPerElementNV(D, A, f, push.n[3]);"},
    {"TwoMatrices",
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in E y, const in E z, "
     "const in float w) { return x * z - y + E(int(w)); }",
     "coopMatPerElementNV(D, A, f, B, E(2), 3.0);"},
    {"ReadsMemory",
     "E f(const in uint32_t row, const in uint32_t col, const in E x) "
     "{ return x + c[row * N + col]; }",
     "coopMatPerElementNV(D, A, f);"},
    {"CallsAndBranches",
     "E twice(E x) { return x + x; }\n"
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in E y) {\n"
     "if (x < y) return twice(x);\nE s = E(0);\nfor (uint i = 0; i < col % 3; ++i) s += y;\n"
     "return s; }",
     "coopMatPerElementNV(D, A, f, B);"},
    {"InALoop",
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in uint i) "
     "{ return x + E(i == col % 4 ? 1 : 0); }",
     "D = A;\nfor (uint i = 0; i < push.n[0]; ++i) coopMatPerElementNV(D, D, f, i);"},
    {"OfAnArray",
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in E y) "
     "{ return (row & 1) == 0 ? x : y; }",
     "T m[2];\nm[0] = A;\nm[push.n[1]] = B;\nfor (uint i = 0; i < 2; ++i) "
     "coopMatPerElementNV(m[i], "
     "m[i], f, m[1 - i]);\nD = m[0] + m[1];"},
};

struct Type {
    Component component;
    Use use;
};
constexpr Type kTypes[] = {
    {Component::kF32, Use::kAccumulator}, {Component::kF16, Use::kAccumulator},
    {Component::kS32, Use::kAccumulator}, {Component::kF16, Use::kA},
    {Component::kF16, Use::kB},           {Component::kS8, Use::kA}};

struct Case {
    size_t operation, type;
    uint32_t rows, columns;
    MatrixGroup group;
    bool isExt;
};

std::string caseName(const Case& c) {
    const Type& type = kTypes[c.type];
    return std::string(kOperations[c.operation].name) + "_" + std::string(name(type.component)) +
           "_" + "ABC"[static_cast<int>(type.use)] + "_" + std::to_string(c.rows) + "x" +
           std::to_string(c.columns) + "_" + nameOf(c.group) + (c.isExt ? "_EXT" : "");
}

std::vector<Case> cases() {
    constexpr uint32_t kSizes[][2] = {{16, 16}, {48, 16}, {16, 80}};
    std::vector<Case> all;
    for (size_t operation = 0; operation < std::size(kOperations); ++operation)
        for (size_t type = 0; type < std::size(kTypes); ++type)
            for (const auto& [rows, columns] : kSizes)
                for (const MatrixGroup& group : matrixGroups())
                    all.push_back({operation, type, rows, columns, group,
                                   (operation + type + rows / 16) % 2 == 1});
    return covering(all, [](const Case& c) {
        return factors(c.operation, c.type, c.rows * 100 + c.columns, nameOf(c.group));
    });
}

// A, B and D of one type, buffers a, b and d, and `c` of the same size.
std::string sourceOf(const Type& type, uint32_t rows, uint32_t columns, const std::string& global,
                     const std::string& body) {
    const std::string element(glsl::scalar(type.component));
    const std::string stride = std::to_string(columns);
    return matrix2Header() + "#define E " + element + "\n#define N " + stride + "\n#define T " +
           glsl::matrix(type.component, rows, columns, type.use) + "\n" +
           glsl::buffer(0, "a", element) + glsl::buffer(1, "b", element) +
           glsl::buffer(2, "c", element) + glsl::buffer(3, "d", element) +
           "layout(push_constant) uniform Push { uint n[4]; } push;\n" + global +
           "\nvoid main() {\nT A, B, D;\n" + glsl::load("A", "a", stride) +
           glsl::load("B", "b", stride) + body + "\n" + glsl::store("D", "d", stride) + "}\n";
}

class Matrix2Element : public testing::TestWithParam<Case> {};

TEST_P(Matrix2Element, MatchesReference) {
    const Case& c = GetParam();
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(c.isExt ? Requirement::kMatrixMaintenance1 : Requirement::kMatrixElements);
    const Type& type = kTypes[c.type];
    const Operation& operation = kOperations[c.operation];
    std::string source = sourceOf(type, c.rows, c.columns, operation.global, operation.body);
    if (c.isExt) source = asExt(source);
    Rng rng(caseName(c));
    const Matrix a = randomMatrix(rng, type.component, c.rows, c.columns, Fill::kSmall);
    const Matrix b = randomMatrix(rng, type.component, c.rows, c.columns, Fill::kSmall);
    const Matrix memory = randomMatrix(rng, type.component, c.rows, c.columns, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(memory), poison(rng, a)};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectMatrix(source, c.group, dispatch, type.component);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Element, testing::ValuesIn(cases()),
                         [](const auto& param) { return caseName(param.param); });

// ---------------------------------------------------------------------------------------------
// Memory, and where elements are

class Matrix2Place : public testing::TestWithParam<MatrixGroup> {};

// Each element is written to memory by its function: to its place, some not at all. "Calls may
// occur more than once", in different invocations, so plain stores would be in a race.
TEST_P(Matrix2Place, FunctionsWriteMemory) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixElements);
    constexpr uint32_t kRows = 32, kColumns = 48;
    const std::string type = glsl::matrix(Component::kF32, kRows, kColumns, Use::kAccumulator);
    const std::string source =
        matrix2Header() + glsl::buffer(0, "a", "float") + glsl::buffer(3, "d", "uint") +
        "float f(const in uint32_t row, const in uint32_t col, const in float x, "
        "const in uint rows) {\nif (row < rows && col != 7)\n"
        "atomicExchange(d[row * 48 + col], floatBitsToUint(x * 2.0));\n"
        "return x; }\nvoid main() {\n" +
        type + " A, D;\n" + glsl::load("A", "a", "48") +
        "coopMatPerElementNV(D, A, f, gl_WorkGroupID.x + 19);\n}\n";
    Rng rng("FunctionsWriteMemory" + nameOf(group));
    const Matrix in = randomMatrix(rng, Component::kF32, kRows, kColumns, Fill::kUnit);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4), poison(rng, in)};
    expectMatrix(source, group, dispatch, Component::kF32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Place, testing::ValuesIn(matrixGroupsOf(GroupTest::kPlace)),
                         [](const auto& param) { return nameOf(param.param); });

class Matrix2Coordinates : public testing::TestWithParam<MatrixGroup> {};

TEST_P(Matrix2Coordinates, OfEachElement) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixMaintenance1);
    for (const Type& type : {Type{Component::kF32, Use::kAccumulator},
                             Type{Component::kF16, Use::kA}, Type{Component::kF16, Use::kB}}) {
        constexpr uint32_t kRows = 32, kColumns = 48;
        const std::string source =
            asExt(sourceOf(type, kRows, kColumns, "",
                           "D = A;\nfor (uint i = 0; i < D.length(); ++i) { uvec2 at = "
                           "coopMatGetCoordinateEXT(D, i); D[i] += E(at.x * 48 + at.y); }"));
        Rng rng("Coordinates" + nameOf(group));
        const Matrix a = randomMatrix(rng, type.component, kRows, kColumns, Fill::kSmall);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(a), pack(a), poison(rng, a)};
        dispatch.push = pushWords({3, 1, 0, 2});
        expectMatrix(source, group, dispatch, type.component);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Coordinates,
                         testing::ValuesIn(matrixGroupsOf(GroupTest::kCoordinates)),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_element_test
