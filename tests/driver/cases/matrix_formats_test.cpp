// SPDX-License-Identifier: Apache-2.0
//
// Matrices of bfloat16 and of 8-bit floats, of a subgroup and of a workgroup: operations on single
// elements, functions that are called for elements, reductions, conversions with and without
// saturation, and tensors. The tests of all formats contain products, loads and stores, and plain
// conversions of these formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/assembly.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix_formats_test {
namespace {

constexpr Component kFormats[] = {Component::kBF16, Component::kE4M3, Component::kE5M2};
constexpr uint32_t kRows = 16, kColumns = 32;

// The shader computes D of A and B, all of type T, with components E. The result is rounded to E.
struct Operation {
    const char* name;
    const char* global;
    const char* body;
    std::optional<Requirement> requirement = {};
    bool isOfAccumulators = false;
};

constexpr Operation kOperations[] = {
    {"Copy", "", "D = A;"},
    {"Elements", "",
     "D = A;\nfor (uint i = 0; i < D.length(); ++i) D[i] = E(float(D[i]) * 2.0 + float(B[i]));"},
    {"Arrays", "",
     "T m[2];\nm[0] = A;\nm[push.n[1]] = B;\nD = T(E(1.0));\n"
     "for (uint i = 0; i < D.length(); ++i) { E x = m[push.n[1]][i]; m[0][i] = x; D[i] = m[0][i]; "
     "}"},
    {"Constants", "const E three = E(3.0);",
     "T three = T(three);\nD = three;\nif (push.n[3] == 2) D = T(E(-1.75));"},
    {"Calls",
     "T chosen(T x, T y, bool first) { if (first) return x; return y; }\nE halved(E x) { return "
     "E(float(x) / "
     "2); }",
     "D = chosen(A, B, push.n[0] == 4);\n"
     "for (uint i = 0; i < D.length(); ++i) D[i] = halved(D[i]);"},
    {"PerElement",
     "E f(const in uint32_t row, const in uint32_t col, const in E x, const in E y, const in E z) "
     "{ return E(float(x) + float(y) * float(z) + float(row) - float(col % 4)); }",
     "coopMatPerElementNV(D, A, f, B, E(2.0));", Requirement::kMatrixElements},
    {"Reduce", "E f(const in E x, const in E y) { return float(x) > float(y) ? x : y; }",
     "coopMatReduceNV(D, A, gl_CooperativeMatrixReduceRowNV, f);", Requirement::kMatrixReductions,
     true},
};

struct Case {
    size_t operation;
    Component component;
    Use use;
    MatrixGroup group;
};

std::string caseName(const Case& c) {
    return std::string(kOperations[c.operation].name) + "_" + std::string(name(c.component)) + "_" +
           "ABC"[static_cast<int>(c.use)] + "_" + nameOf(c.group);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (size_t operation = 0; operation < std::size(kOperations); ++operation)
        for (const Component component : kFormats)
            for (const Use use : kAllUses)
                for (const MatrixGroup& group : matrixGroups()) {
                    if (kOperations[operation].isOfAccumulators && use != Use::kAccumulator)
                        continue;
                    all.push_back({operation, component, use, group});
                }
    return covering(all, [](const Case& c) {
        return factors(c.operation, c.component, static_cast<int>(c.use), nameOf(c.group));
    });
}

std::string sourceOf(const Case& c, const std::string& global, const std::string& body) {
    const std::string element(glsl::scalar(c.component)), stride = std::to_string(kColumns);
    return matrix2Header() + "#define E " + element + "\n#define T " +
           glsl::matrix(c.component, kRows, kColumns, c.use) + "\n" +
           glsl::buffer(0, "a", element) + glsl::buffer(1, "b", element) +
           glsl::buffer(3, "d", element) +
           "layout(push_constant) uniform Push { uint n[4]; } push;\n" + global +
           "\nvoid main() {\nT A, B, D;\n" + glsl::load("A", "a", stride) +
           glsl::load("B", "b", stride) + body + "\n" + glsl::store("D", "d", stride) + "}\n";
}

class MatrixFormatOperation : public testing::TestWithParam<Case> {};

TEST_P(MatrixFormatOperation, MatchesReference) {
    const Case& c = GetParam();
    const Operation& operation = kOperations[c.operation];
    COOPVK_REQUIRE(c.component);
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    if (operation.requirement) COOPVK_REQUIRE(*operation.requirement);
    COOPVK_REQUIRE((NeededMatrices{{c.component, kRows, kColumns, c.use, c.group}}));
    Rng rng(caseName(c));
    const Matrix a = randomMatrix(rng, c.component, kRows, kColumns, Fill::kUnit);
    const Matrix b = randomMatrix(rng, c.component, kRows, kColumns, Fill::kUnit);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), Bytes(4), poison(rng, a)};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectMatrix(sourceOf(c, operation.global, operation.body), c.group, dispatch, c.component);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixFormatOperation, testing::ValuesIn(cases()),
                         [](const auto& param) { return caseName(param.param); });

// ---------------------------------------------------------------------------------------------
// Rounding, saturation and NaN

struct RoundingCase {
    Component to;
    MatrixGroup group;
    bool saturates;
};

std::string roundingName(const RoundingCase& c) {
    return std::string(name(c.to)) + (c.saturates ? "_saturated_" : "_") + nameOf(c.group);
}

std::vector<RoundingCase> roundingCases() {
    std::vector<RoundingCase> all;
    for (const Component to : kFormats)
        for (const MatrixGroup& group : matrixGroups())
            for (const bool saturates : {false, true})
                if (!saturates || to != Component::kBF16) all.push_back({to, group, saturates});
    return covering(all, [](const RoundingCase& c) {
        return factors(static_cast<int>(c.to) * 2 + c.saturates, nameOf(c.group));
    });
}

// The f32 numbers that show how a format rounds: each of its numbers, the values halfway between
// two of them, and the neighbours of these; numbers beyond the largest one, infinities and NaN.
std::vector<double> roundingInputs(Rng& rng, Component to) {
    const ComponentInfo& target = info(to);
    std::vector<double> all = {0.0, -0.0,    HUGE_VAL,  -HUGE_VAL, std::nan(""), 1e38,     -1e38,
                               464, 465,     -464,      -466,      61439,        61440,    -61441,
                               449, 0x1p-10, 0x1.8p-10, 0x1p-17,   0x1.8p-17,    -0x1p-11, 0x1p-40};
    const uint64_t patterns = target.bits() == 8 ? 256 : 370;
    for (uint64_t i = 0; i < patterns; ++i) {
        const uint64_t bits = target.bits() == 8 ? i : wrap(rng.next(), 16);
        const double number = toDouble(to, bits), next = toDouble(to, bits + 1);
        if (!std::isfinite(number) || !std::isfinite(next) || std::fabs(number) < 0x1p-120)
            continue;
        const double middle = (number + next) / 2;
        all.insert(all.end(), {number, middle, std::nextafterf(static_cast<float>(middle), 1e30f),
                               std::nextafterf(static_cast<float>(middle), -1e30f)});
    }
    return all;
}

class MatrixFormatRounding : public testing::TestWithParam<RoundingCase> {};

TEST_P(MatrixFormatRounding, MatchesReference) {
    const RoundingCase& c = GetParam();
    COOPVK_REQUIRE(c.to);
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    Rng rng(roundingName(c));
    const std::vector<double> inputs = roundingInputs(rng, c.to);
    constexpr uint32_t kTileRows = 32, kTileColumns = 48, kTile = kTileRows * kTileColumns;
    COOPVK_REQUIRE((NeededMatrices{{Component::kF32, kTileRows, kTileColumns, Use::kA, c.group},
                                   {c.to, kTileRows, kTileColumns, Use::kA, c.group}}));
    Matrix in(Component::kF32, kTileRows, kTileColumns);
    ASSERT_LE(inputs.size(), kTile);
    for (uint32_t i = 0; i < kTile; ++i)
        in.elements[i] = fromDouble(Component::kF32, inputs[i % inputs.size()]);
    const std::string from = glsl::matrix(Component::kF32, kTileRows, kTileColumns, Use::kA);
    const std::string to = glsl::matrix(c.to, kTileRows, kTileColumns, Use::kA);
    const std::string stride = std::to_string(kTileColumns);
    const std::string source =
        matrix2Header() + glsl::buffer(0, "a", "float") + glsl::buffer(3, "d", glsl::scalar(c.to)) +
        "void main() {\n" + from + " A;\n" + to + " D;\n" + glsl::load("A", "a", stride) +
        (c.saturates ? "saturatedConvertEXT(D, A);\n" : "D = " + to + "(A);\n") +
        glsl::store("D", "d", stride) + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {pack(in), Bytes(4), Bytes(4),
                        poison(rng, Matrix(c.to, kTileRows, kTileColumns))};
    expectMatrix(source, c.group, dispatch, c.to);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixFormatRounding, testing::ValuesIn(roundingCases()),
                         [](const auto& param) { return roundingName(param.param); });

// ---------------------------------------------------------------------------------------------
// Tensors

class MatrixFormatAddressing : public testing::TestWithParam<std::tuple<Component, MatrixGroup>> {};

// Loads a tensor that is smaller than the matrix, once directly and once through a function, and
// stores to a larger one.
TEST_P(MatrixFormatAddressing, LoadsDecodesAndStores) {
    const auto& [component, group] = GetParam();
    COOPVK_REQUIRE(component);
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    COOPVK_REQUIRE(Requirement::kMatrixElements);
    COOPVK_REQUIRE((NeededMatrices{{component, kRows, kColumns, Use::kAccumulator, group}}));
    constexpr uint32_t kInRows = 13, kInColumns = 27;
    const std::string element(glsl::scalar(component));
    const uint64_t one = fromDouble(component, 1);
    const std::string source =
        matrix2Header() + "#extension GL_NV_cooperative_matrix2 : require\n#define E " + element +
        "\n#define T " + glsl::matrix(component, kRows, kColumns, Use::kAccumulator) + "\n" +
        glsl::buffer(0, "a", element) + glsl::buffer(1, "b", "uint8_t") +
        glsl::buffer(3, "d", element) +
        "layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Ref { uint8_t q; };\n"
        "E decode(const in Ref r, const in uint32_t block[2], const in uint32_t inBlock[2]) "
        "{ return E(float(r.q) / 64.0 + float(block[0] & 1)); }\n"
        "void main() {\nT A, B, D;\n"
        "tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> t = "
        "createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);\n"
        "t = setTensorLayoutDimensionNV(t, " +
        std::to_string(kInRows) + ", " + std::to_string(kInColumns) +
        ");\nt = setTensorLayoutClampValueNV(t, " + std::to_string(one) +
        ");\ntensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> s = "
        "sliceTensorLayoutNV(t, 0, " +
        std::to_string(kRows) + ", 0, " + std::to_string(kColumns) +
        ");\ncoopMatLoadTensorNV(A, a, 0, s);\ncoopMatLoadTensorNV(B, b, 0, s, decode);\n"
        "tensorLayoutNV<2> o = createTensorLayoutNV(2);\n"
        "o = setTensorLayoutDimensionNV(o, 64, 64);\n"
        "o = sliceTensorLayoutNV(o, 3, " +
        std::to_string(kRows) + ", 5, " + std::to_string(kColumns) +
        ");\ncoopMatStoreTensorNV(A, d, 0, o);\n"
        "o = sliceTensorLayoutNV(o, 16, " +
        std::to_string(kRows) + ", 0, " + std::to_string(kColumns) +
        ");\ncoopMatStoreTensorNV(B, d, 0, o);\n}\n";
    Rng rng("MatrixFormatAddressing" + std::string(name(component)) + nameOf(group));
    const Matrix a = randomMatrix(rng, component, kInRows, kInColumns, Fill::kBits);
    const Matrix b = randomMatrix(rng, Component::kU8, kInRows, kInColumns, Fill::kBits);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), Bytes(4), rng.bytes(64 * 64 * info(component).bytes)};
    expectMatrix(source, group, dispatch, component);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixFormatAddressing,
                         testing::Combine(testing::ValuesIn(kFormats),
                                          testing::Values(MatrixGroup{},
                                                          MatrixGroup{true, {64, 1, 1}})),
                         [](const auto& test) {
                             return std::string(name(std::get<0>(test.param))) + "_" +
                                    nameOf(std::get<1>(test.param));
                         });

// ---------------------------------------------------------------------------------------------
// Bits

class MatrixFormatBits : public testing::TestWithParam<Component> {};

// Every pattern of bits is kept by casts to integers and back.
TEST_P(MatrixFormatBits, CastsKeepThem) {
    const Component component = GetParam();
    COOPVK_REQUIRE(component);
    COOPVK_REQUIRE(Requirement::kNativeShapesOnly);
    const Component integer = info(component).bytes == 1 ? Component::kU8 : Component::kU16;
    COOPVK_REQUIRE((NeededMatrices{{component, 16, 16, Use::kB}, {integer, 16, 16, Use::kB}}));
    Assembly a;
    a.buffers = {scalars("a", component), scalars("b", integer), scalars("c", component)};
    a.declarations =
        matrixType("F", component, 16, 16, Use::kB) + matrixType("I", integer, 16, 16, Use::kB);
    a.body = substitute(R"(
%pa = OpAccessChain %sb_${f} %a %c_0 %c_0
%pb = OpAccessChain %sb_${i} %b %c_0 %c_0
%pc = OpAccessChain %sb_${f} %c %c_0 %c_0
%x = OpCooperativeMatrixLoadKHR %F %pa %c_1 %c_16
%y = OpBitcast %I %x
OpCooperativeMatrixStoreKHR %pb %y %c_1 %c_16
%z = OpBitcast %F %y
OpCooperativeMatrixStoreKHR %pc %z %c_1 %c_16
)",
                        {{"f", std::string(name(component))}, {"i", std::string(name(integer))}});
    Rng rng("CastsKeepThem" + std::string(name(component)));
    Matrix in(component, 16, 16);
    for (uint32_t i = 0; i < 256; ++i)
        in.elements[i] = info(component).bytes == 1 ? i : wrap(rng.next(), 16);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), rng.bytes(pack(in).size()), rng.bytes(pack(in).size())};
    expectAsReference(assemble(a), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixFormatBits, testing::ValuesIn(kFormats),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace coopvk::test::matrix_formats_test
