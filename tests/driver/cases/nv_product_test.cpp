// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix: every advertised product.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/nv.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::nv_product_test {
namespace {

struct Types {
    Component a, b, c, d;
};
constexpr Types kTypes[] = {
    {Component::kF16, Component::kF16, Component::kF32, Component::kF32},
    {Component::kF16, Component::kF16, Component::kF16, Component::kF16},
    {Component::kS8, Component::kS8, Component::kS32, Component::kS32},
    {Component::kU8, Component::kU8, Component::kU32, Component::kU32},
    {Component::kF32, Component::kF32, Component::kF32, Component::kF32},
};

bool hasTypes(const VkCooperativeMatrixPropertiesNV& shape, const Types& t) {
    const auto is = [](VkComponentTypeNV type, Component component) {
        return static_cast<uint32_t>(type) == static_cast<uint32_t>(component);
    };
    return is(shape.AType, t.a) && is(shape.BType, t.b) && is(shape.CType, t.c) &&
           is(shape.DType, t.d);
}

// NVIDIA's sizes, where they are listed for these types, and the first listed one.
std::vector<VkCooperativeMatrixPropertiesNV> shapesOf(const Types& types) {
    std::vector<VkCooperativeMatrixPropertiesNV> shapes;
    for (const VkCooperativeMatrixPropertiesNV& shape : Context::get().nvShapes) {
        if (!hasTypes(shape, types)) continue;
        const uint32_t sizes[] = {shape.MSize, shape.NSize, shape.KSize};
        constexpr uint32_t kNvidia[][3] = {
            {16, 16, 16}, {16, 8, 16}, {16, 8, 8}, {16, 16, 32}, {16, 8, 32}};
        const bool known = std::ranges::any_of(
            kNvidia, [&](const auto& size) { return std::ranges::equal(size, sizes); });
        if (shapes.empty() || known) shapes.push_back(shape);
    }
    return shapes;
}

class NvMulAdd : public testing::TestWithParam<Types> {};

TEST_P(NvMulAdd, MatchesReference) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const Types& t = GetParam();
    const std::vector<VkCooperativeMatrixPropertiesNV> shapes = shapesOf(t);
    ASSERT_FALSE(shapes.empty());
    for (const VkCooperativeMatrixPropertiesNV& shape : shapes) {
        const uint32_t m = shape.MSize, n = shape.NSize, k = shape.KSize;
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
        Rng rng("NvMulAdd");
        const Matrix a = randomMatrix(rng, t.a, m, k, Fill::kUnit);
        const Matrix b = randomMatrix(rng, t.b, k, n, Fill::kUnit);
        const Matrix c = randomMatrix(rng, t.c, m, n, Fill::kUnit);
        const std::string source =
            nv::header() + glsl::buffer(0, "a", glsl::scalar(t.a)) +
            glsl::buffer(1, "b", glsl::scalar(t.b)) + glsl::buffer(2, "c", glsl::scalar(t.c)) +
            glsl::buffer(3, "d", glsl::scalar(t.d)) + "void main() {\n" + nv::matrix(t.a, m, k) +
            " A;\n" + nv::matrix(t.b, k, n) + " B;\n" + nv::matrix(t.c, m, n) + " C;\n" +
            "coopMatLoadNV(A, a, 0, " + std::to_string(k) + ", false);\n" +
            "coopMatLoadNV(B, b, 0, " + std::to_string(n) + ", false);\n" +
            "coopMatLoadNV(C, c, 0, " + std::to_string(n) + ", false);\n" + nv::matrix(t.d, m, n) +
            " D = coopMatMulAddNV(A, B, C);\n" + "coopMatStoreNV(D, d, 0, " + std::to_string(n) +
            ", false);\n}\n";
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(size_t{m} * n * info(t.d).bytes)};
        const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
        const Product want = mulAdd(a, b, c, t.d, signOperands(t.a, t.b, t.c, t.d), false);
        EXPECT_EQ(difference(unpack(t.d, m, n, after[3]), want), "");
    }
}

std::string typesName(const testing::TestParamInfo<Types>& info) {
    const Types& t = info.param;
    return std::string(name(t.a)) + "_" + std::string(name(t.b)) + "_" + std::string(name(t.c));
}
INSTANTIATE_TEST_SUITE_P(Glsl, NvMulAdd, testing::ValuesIn(kTypes), typesName);

TEST(NvMatrix, ListsNvidiasShapesFirst) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const auto lists = [](const Types& types, uint32_t m, uint32_t n, uint32_t k) {
        return std::ranges::any_of(
            Context::get().nvShapes, [&](const VkCooperativeMatrixPropertiesNV& shape) {
                return hasTypes(shape, types) && shape.MSize == m && shape.NSize == n &&
                       shape.KSize == k && shape.scope == VK_SCOPE_SUBGROUP_NV;
            });
    };
    for (const Types& types : {kTypes[0], kTypes[1]}) {
        EXPECT_TRUE(lists(types, 16, 16, 16));
        EXPECT_TRUE(lists(types, 16, 8, 16));
        EXPECT_TRUE(lists(types, 16, 8, 8));
    }
    for (const Types& types : {kTypes[2], kTypes[3]}) {
        // An s8 could not hold the length of a 16x32 matrix, 128.
        const bool fits = types.a != Component::kS8 || Context::get().subgroupSize > 4;
        EXPECT_EQ(lists(types, 16, 16, 32), fits);
        EXPECT_EQ(lists(types, 16, 8, 32), fits);
    }
}

// GLSL multiplies matrices of one signedness only.
TEST(NvMatrix, SignsComeFromTheComponentTypes) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    constexpr Types kMixed[] = {
        {Component::kU8, Component::kS8, Component::kS32, Component::kS32},
        {Component::kS8, Component::kU8, Component::kS32, Component::kU32},
        {Component::kU8, Component::kU8, Component::kS32, Component::kS32},
    };
    constexpr uint32_t kM = 8, kN = 8, kK = 16;
    for (const Types& t : kMixed) {
        Assembly assembly;
        assembly.buffers = {scalars("in_a", t.a), scalars("in_b", t.b), scalars("in_c", t.c),
                            scalars("out_d", t.d)};
        assembly.capabilities = {"CooperativeMatrixNV"};
        assembly.extensions = {"SPV_NV_cooperative_matrix"};
        const Component types[] = {t.a, t.b, t.c, t.d};
        constexpr uint32_t kSizes[][2] = {{kM, kK}, {kK, kN}, {kM, kN}, {kM, kN}};
        assembly.declarations = "%false = OpConstantFalse %bool\n";
        std::string ids[4];
        for (int i = 0; i < 4; ++i) {
            ids[i] = "%matrix_" + std::string(name(types[i])) + "_" + std::to_string(kSizes[i][0]) +
                     "x" + std::to_string(kSizes[i][1]);
            const std::string line = ids[i] + " = OpTypeCooperativeMatrixNV " +
                                     std::string(info(types[i]).spirv) + " %c_3 " +
                                     constant(kSizes[i][0]) + " " + constant(kSizes[i][1]) + "\n";
            if (assembly.declarations.find(line) == std::string::npos)
                assembly.declarations += line;
        }
        const char* names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; ++i) {
            const std::string at = names[i];
            assembly.body += "%p" + at + " = OpAccessChain %sb_" + std::string(name(types[i])) +
                             (i < 3 ? " %in_" : " %out_") + at + " %c_0 %c_0\n";
            if (i < 3)
                assembly.body += "%" + at + " = OpCooperativeMatrixLoadNV " + ids[i] + " %p" + at +
                                 " " + constant(kSizes[i][1]) + " %false\n";
        }
        assembly.body += "%d = OpCooperativeMatrixMulAddNV " + ids[3] +
                         " %a %b %c\nOpCooperativeMatrixStoreNV %pd %d %c_8 %false\n";
        Rng rng("NvSigns");
        const Matrix a = randomMatrix(rng, t.a, kM, kK, Fill::kBits);
        const Matrix b = randomMatrix(rng, t.b, kK, kN, Fill::kBits);
        const Matrix c = randomMatrix(rng, t.c, kM, kN, Fill::kBits);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(b), pack(c), rng.bytes(kM * kN * 4)};
        expectNumbersAsReference(assemble(nv::textWithoutKhr(assembly)), dispatch, t.d);
    }
}

}  // namespace
}  // namespace coopvk::test::nv_product_test
