// SPDX-License-Identifier: Apache-2.0
//
// Matrices of scope Workgroup (SPV_NV_cooperative_matrix2): products, conversions of use,
// transposition, reductions and per-element operations, in workgroups that are and are not
// multiples of the subgroup.
#include <gtest/gtest.h>

#include <format>

#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::workgroup_matrix_test {
namespace {

std::string header(uint32_t invocations) {
    return std::format(R"(#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : enable
#extension GL_EXT_float_e4m3 : enable
#extension GL_EXT_float_e5m2 : enable
layout(local_size_x = {}) in;
)",
                       invocations);
}

std::string type(Component component, uint32_t rows, uint32_t columns, Use use) {
    return std::format("coopmat<{}, gl_ScopeWorkgroup, {}, {}, {}>", glsl::scalar(component), rows,
                       columns, glsl::useName(use));
}

std::string buffers(std::initializer_list<Component> components) {
    std::string text;
    uint32_t binding = 0;
    for (const Component c : components) {
        const std::string name(1, static_cast<char>('a' + binding));
        text += glsl::buffer(binding++, name, glsl::scalar(c));
    }
    return text;
}

struct ProductCase {
    uint32_t invocations, m, n, k;
    Component factor, sum;
    bool columnMajor = false;
};

std::string nameOf(const ProductCase& c) {
    return std::format("w{}_{}x{}x{}_{}_{}{}", c.invocations, c.m, c.n, c.k, name(c.factor),
                       name(c.sum), c.columnMajor ? "_columns" : "");
}

class WorkgroupProduct : public testing::TestWithParam<ProductCase> {};

TEST_P(WorkgroupProduct, EqualsTheReference) {
    const ProductCase& p = GetParam();
    for (const Component component : {p.factor, p.sum}) COOPVK_REQUIRE(component);
    COOPVK_REQUIRE((NeededProduct{
        p.m, p.n, p.k, p.factor, p.factor, p.sum, p.sum, {true, {p.invocations, 1, 1}}}));
    Rng rng("WorkgroupProduct" + nameOf(p));
    const Matrix a = randomMatrix(rng, p.factor, p.m, p.k, Fill::kSmall);
    const Matrix b = randomMatrix(rng, p.factor, p.k, p.n, Fill::kSmall);
    const Matrix c = randomMatrix(rng, p.sum, p.m, p.n, Fill::kSmall);
    const auto strideOf = [&](const Matrix& m) {
        return std::to_string(p.columnMajor ? m.rows : m.columns);
    };
    const auto packed = [&](const Matrix& m) {
        Bytes bytes(m.elements.size() * info(m.component).bytes);
        scatter(m, tight(m, p.columnMajor), bytes);
        return bytes;
    };
    const std::string source =
        header(p.invocations) + buffers({p.factor, p.factor, p.sum, p.sum}) +
        std::format(
            "{0} twice(const in uint32_t row, const in uint32_t column, const in {0} x) {{ "
            "return x + x; }}\n",
            glsl::scalar(p.sum)) +
        "void main() {\n" + type(p.factor, p.m, p.k, Use::kA) + " x;\n" +
        type(p.factor, p.k, p.n, Use::kB) + " y;\n" + type(p.sum, p.m, p.n, Use::kAccumulator) +
        " z;\n" + glsl::load("x", "a", strideOf(a), p.columnMajor) +
        glsl::load("y", "b", strideOf(b), p.columnMajor) +
        glsl::load("z", "c", strideOf(c), p.columnMajor) +
        "z = coopMatMulAdd(x, y, z);\ncoopMatPerElementNV(z, z, twice);\n"
        "z = coopMatMulAdd(x, y, z);\n" +
        glsl::store("z", "d", strideOf(c), p.columnMajor) + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {packed(a), packed(b), packed(c), rng.bytes(packed(c).size())};
    expectNumbersAsReference(compileGlsl(source), dispatch, p.sum);
}

using enum Component;

INSTANTIATE_TEST_SUITE_P(
    Workgroup, WorkgroupProduct,
    testing::Values(
        ProductCase{64, 16, 16, 16, kF16, kF32}, ProductCase{128, 32, 16, 16, kF16, kF16},
        ProductCase{128, 64, 32, 48, kF16, kF32, true}, ProductCase{256, 64, 64, 32, kF16, kF32},
        ProductCase{256, 32, 32, 64, kS8, kS32}, ProductCase{96, 48, 16, 32, kU8, kU32, true},
        ProductCase{100, 16, 80, 16, kF16, kF16, true}, ProductCase{512, 128, 64, 16, kF16, kF32},
        ProductCase{256, 128, 128, 64, kF16, kF32}, ProductCase{128, 64, 16, 512, kF16, kF32},
        ProductCase{256, 256, 256, 16, kF16, kF16}, ProductCase{128, 64, 32, 48, kBF16, kF32},
        ProductCase{100, 16, 80, 16, kE4M3, kF32, true}, ProductCase{256, 32, 32, 64, kE5M2, kF16}),
    [](const auto& test) { return nameOf(test.param); });

// One matrix in, one out.
struct Unary {
    const char* name;
    uint32_t invocations;
    Component component;
    uint32_t rows, columns;
    Use inUse;
    Component resultComponent;
    uint32_t resultRows, resultColumns;
    Use resultUse;
    const char* functions;
    const char* statement;  // makes y of x
};

class MatrixUnary : public testing::TestWithParam<std::tuple<Unary, bool>> {};

TEST_P(MatrixUnary, EqualsTheReference) {
    const auto& [u, ofSubgroup] = GetParam();
    Rng rng(std::string("MatrixUnary") + u.name);
    const Matrix x = randomMatrix(rng, u.component, u.rows, u.columns, Fill::kSmall);
    std::string source =
        (ofSubgroup ? glsl::header(1) + "#extension GL_NV_cooperative_matrix2 : require\n"
                    : header(u.invocations)) +
        buffers({u.component, u.resultComponent}) + u.functions + "void main() {\n" +
        type(u.component, u.rows, u.columns, u.inUse) + " x;\n" +
        type(u.resultComponent, u.resultRows, u.resultColumns, u.resultUse) + " y;\n" +
        glsl::load("x", "a", std::to_string(u.columns)) + u.statement +
        glsl::store("y", "b", std::to_string(u.resultColumns)) + "}\n";
    for (size_t at = 0;
         ofSubgroup && (at = source.find("gl_ScopeWorkgroup")) != std::string::npos;) {
        source.replace(at, 17, "gl_ScopeSubgroup");
    }
    Dispatch dispatch;
    const size_t bytes = size_t{u.resultRows} * u.resultColumns * info(u.resultComponent).bytes;
    dispatch.buffers = {pack(x), rng.bytes(bytes)};
    expectAsReference(compileGlsl(source), dispatch);
}

constexpr const char* kAdd = R"(
float16_t addHalf(const in float16_t x, const in float16_t y) { return x + y; }
float addFloat(const in float x, const in float y) { return x + y; }
int addInt(const in int x, const in int y) { return x + y; }
)";

constexpr const char* kPlace = R"(
float place(const in uint32_t row, const in uint32_t column, const in float x, const in float by) {
    return x + by * float(row * 1000 + column);
}
)";

constexpr Unary kUnaries[] = {
    Unary{"toA", 128, kF16, 32, 48, Use::kAccumulator, kF16, 32, 48, Use::kA, "",
          "y = coopmat<float16_t, gl_ScopeWorkgroup, 32, 48, gl_MatrixUseA>(x);\n"},
    Unary{"toBOfHalves", 256, kF32, 32, 32, Use::kAccumulator, kF16, 32, 32, Use::kB, "",
          "y = coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB>(x);\n"},
    Unary{"transpose", 128, kF16, 32, 48, Use::kAccumulator, kF16, 48, 32, Use::kB, "",
          "coopMatTransposeNV(y, x);\n"},
    Unary{"rows", 128, kF32, 64, 32, Use::kAccumulator, kF32, 64, 16, Use::kAccumulator, kAdd,
          "coopMatReduceNV(y, x, gl_CooperativeMatrixReduceRowNV, addFloat);\n"},
    Unary{"columns", 96, kF16, 32, 32, Use::kAccumulator, kF16, 16, 32, Use::kAccumulator, kAdd,
          "coopMatReduceNV(y, x, gl_CooperativeMatrixReduceColumnNV, addHalf);\n"},
    Unary{"rowsAndColumns", 256, kS32, 64, 64, Use::kAccumulator, kS32, 32, 16, Use::kAccumulator,
          kAdd, "coopMatReduceNV(y, x, gl_CooperativeMatrixReduceRowAndColumnNV, addInt);\n"},
    Unary{"neighbours", 256, kF32, 32, 64, Use::kAccumulator, kF32, 16, 32, Use::kAccumulator, kAdd,
          "coopMatReduceNV(y, x, gl_CooperativeMatrixReduce2x2NV, addFloat);\n"},
    Unary{"perElement", 128, kF32, 48, 32, Use::kAccumulator, kF32, 48, 32, Use::kAccumulator,
          kPlace, "coopMatPerElementNV(y, x, place, 2.0);\n"}};

std::vector<std::tuple<Unary, bool>> unaries() {
    std::vector<std::tuple<Unary, bool>> result;
    for (const auto& [unary, ofSubgroup] : coveringIndices(std::size(kUnaries), 2))
        result.emplace_back(kUnaries[unary], ofSubgroup != 0);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Matrix2, MatrixUnary, testing::ValuesIn(unaries()), [](const auto& test) {
    return std::get<0>(test.param).name +
           std::string(std::get<1>(test.param) ? "_subgroup" : "_workgroup");
});

// More elements than fit into shared memory at the same time.
INSTANTIATE_TEST_SUITE_P(
    Matrix2Large, MatrixUnary,
    testing::Values(std::tuple(Unary{"transposeInTurns", 256, kF16, 128, 128, Use::kAccumulator,
                                     kF16, 128, 128, Use::kB, "", "coopMatTransposeNV(y, x);\n"},
                               false)),
    [](const auto& test) { return std::string(std::get<0>(test.param).name); });

}  // namespace
}  // namespace coopvk::test::workgroup_matrix_test
