// SPDX-License-Identifier: Apache-2.0
//
// Matrices of flexible dimensions, of subgroups and of workgroups: products of many sizes, several
// products in a shader beside its own shared memory.
#include <gtest/gtest.h>

#include <optional>
#include <span>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::matrix2_product_test {
namespace {

struct Types {
    Component factor, sum;
};
constexpr Types kTypes[] = {{Component::kF16, Component::kF32},
                            {Component::kF16, Component::kF16},
                            {Component::kS8, Component::kS32},
                            {Component::kU8, Component::kU32}};

constexpr Types kHalves[] = {{Component::kF16, Component::kF16}};

struct Size {
    uint32_t m, n, k;
};
constexpr Size kSizes[] = {{16, 16, 16}, {32, 16, 16}, {48, 16, 32}, {16, 80, 16},
                           {64, 64, 16}, {32, 32, 64}, {64, 32, 64}};
// For subgroups in code made for GPUs, which lavapipe gets in tests only: GPUs have 32 lanes or
// more. With 4 to 16 lanes each multiplies up to eight times as much, without a loop, and LLVM
// takes a minute for that. These have several rows and columns of blocks, even and odd ones, and
// slices.
constexpr Size kSizesOnGpus[] = {{16, 16, 16}, {32, 16, 16}, {48, 16, 8},
                                 {16, 48, 8},  {32, 24, 8},  {16, 16, 32}};
// Too many elements for the invocations of a subgroup.
constexpr Size kWorkgroupSizes[] = {{128, 64, 16}, {32, 16, 512}, {80, 48, 32}};

struct ProductCase {
    Types types;
    Size size;
    MatrixGroup group;
};

std::string caseName(const ProductCase& c) {
    const auto& [m, n, k] = c.size;
    return std::string(name(c.types.factor)) + "_" + std::string(name(c.types.sum)) + "_" +
           std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + "_" +
           nameOf(c.group);
}

std::vector<ProductCase> productCases(std::span<const Types> typesOfCases,
                                      std::span<const Size> sizesOfSubgroups) {
    std::vector<ProductCase> all;
    for (const Types& types : typesOfCases) {
        for (const MatrixGroup& group : matrixGroups()) {
            const std::span<const Size> sizes = group.isWorkgroup ? kSizes : sizesOfSubgroups;
            for (const Size& size : sizes) all.push_back({types, size, group});
            if (!group.isWorkgroup) continue;
            for (const Size& size : kWorkgroupSizes) all.push_back({types, size, group});
        }
    }
    return covering(all, [](const ProductCase& c) {
        return factors(name(c.types.sum), c.size.m * 1000 + c.size.n + c.size.k * 1000000,
                       nameOf(c.group));
    });
}

std::string buffers(const Types& types) {
    return glsl::buffer(0, "a", glsl::scalar(types.factor)) +
           glsl::buffer(1, "b", glsl::scalar(types.factor)) +
           glsl::buffer(2, "c", glsl::scalar(types.sum)) +
           glsl::buffer(3, "d", glsl::scalar(types.sum));
}

class Matrix2Product : public testing::TestWithParam<ProductCase> {};

// `gpu`: the driver gets what this GPU gets.
void expectProduct(const ProductCase& c, const std::optional<rewrite::DeviceTraits>& gpu = {}) {
    const auto& [m, n, k] = c.size;
    Rng rng(caseName(c));
    const Matrix a = randomMatrix(rng, c.types.factor, m, k, Fill::kSmall);
    const Matrix b = randomMatrix(rng, c.types.factor, k, n, Fill::kSmall);
    const Matrix addend = randomMatrix(rng, c.types.sum, m, n, Fill::kSmall);
    const std::string source =
        matrix2Header() + buffers(c.types) + "void main() {\n" +
        glsl::matrix(c.types.factor, m, k, Use::kA) + " A;\n" +
        glsl::matrix(c.types.factor, k, n, Use::kB) + " B;\n" +
        glsl::matrix(c.types.sum, m, n, Use::kAccumulator) + " C, D;\n" +
        glsl::load("A", "a", std::to_string(k)) + glsl::load("B", "b", std::to_string(n)) +
        glsl::load("C", "c", std::to_string(n)) + "D = coopMatMulAdd(A, B, C);\n" +
        glsl::store("D", "d", std::to_string(n)) + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), pack(addend), poison(rng, addend)};
    const Words words = compileGlsl(inGroup(source, c.group));
    if (!gpu) return expectNumbersAsReference(words, dispatch, c.types.sum);
    const Words made = rewrittenFor(*gpu, words);
    expectNumbersAsReference(words, dispatch, c.types.sum, {}, &made);
}

TEST_P(Matrix2Product, MatchesReference) {
    if (const std::string why = missing(GetParam().group); !why.empty()) GTEST_SKIP() << why;
    expectProduct(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Product, testing::ValuesIn(productCases(kTypes, kSizes)),
                         [](const auto& param) { return caseName(param.param); });

class Matrix2GpuProduct : public testing::TestWithParam<ProductCase> {};

TEST_P(Matrix2GpuProduct, MatchesReferenceAsOnGpus) {
    if (const std::string why = missing(GetParam().group); !why.empty()) GTEST_SKIP() << why;
    expectProduct(GetParam(), gpuWithDots(7));
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2GpuProduct,
                         testing::ValuesIn(productCases(kTypes, kSizesOnGpus)),
                         [](const auto& param) { return caseName(param.param); });

// GPUs with many registers add the products of even and of odd positions along K apart.
class Matrix2HalfProduct : public testing::TestWithParam<ProductCase> {};

TEST_P(Matrix2HalfProduct, MatchesReferenceWithManyRegisters) {
    if (const std::string why = missing(GetParam().group); !why.empty()) GTEST_SKIP() << why;
    expectProduct(GetParam(), gpuWithManyRegisters());
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2HalfProduct,
                         testing::ValuesIn(productCases(kHalves, kSizesOnGpus)),
                         [](const auto& param) { return caseName(param.param); });

// AMD's: iterations stay a loop, with an inner one for their steps.
TEST(Matrix2HalfLoop, MatchesReferenceWithScalarRegisters) {
    rewrite::DeviceTraits gpu = gpuWithDots(0);
    gpu.scalarRegisters = true;
    std::string why;
    uint32_t ran = 0;
    for (const MatrixGroup& group : {MatrixGroup{true, {64, 1, 1}}, MatrixGroup{true, {6, 4, 4}}}) {
        why = missing(group);
        if (!why.empty()) continue;
        ++ran;
        for (const Types& types : kHalves) expectProduct({types, {64, 64, 64}, group}, gpu);
    }
    if (ran == 0) GTEST_SKIP() << why;
}

// An invocation then holds all of K, of which a slice is a part.
TEST(Matrix2SmallGroup, MultipliesInTwoInvocations) {
    const MatrixGroup group = {true, {2, 1, 1}};
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    for (const Types& types : kTypes) {
        SCOPED_TRACE(name(types.sum));
        for (const auto& gpu : {gpuWithDots(7), gpuWithManyRegisters()}) {
            expectProduct({types, {16, 16, 32}, group}, gpu);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Whole programs

class Matrix2Loop : public testing::TestWithParam<MatrixGroup> {};

// A loop over K, two products that share a factor, an array of accumulators, a workgroup's own
// memory beside, and a branch that all invocations take.
TEST_P(Matrix2Loop, ProductsInALoop) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    constexpr uint32_t kM = 32, kN = 32, kK = 96, kStep = 32;
    Rng rng("ProductsInALoop" + nameOf(group));
    const Matrix a = randomMatrix(rng, Component::kF16, kM, kK, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF16, kK, 2 * kN, Fill::kSmall);
    const std::string source =
        matrix2Header() + buffers(kTypes[0]) +
        "layout(push_constant) uniform Push { uint n[4]; } push;\n"
        "shared uint own[64];\n"
        "void main() {\n"
        "for (uint i = gl_LocalInvocationIndex; i < 64; i += gl_WorkGroupSize.x * "
        "gl_WorkGroupSize.y * gl_WorkGroupSize.z) own[i] = i * push.n[0];\n" +
        glsl::matrix(Component::kF32, kM, kN, Use::kAccumulator) +
        " sum[2];\nsum[0] = sum[1] = " + glsl::matrix(Component::kF32, kM, kN, Use::kAccumulator) +
        "(0.0);\n"
        "for (uint k = 0; k < 96; k += 32) {\n" +
        glsl::matrix(Component::kF16, kM, kStep, Use::kA) + " A;\n" +
        glsl::matrix(Component::kF16, kStep, kN, Use::kB) + " B;\n" +
        glsl::load("A", "a", "96", false, "k") + "for (uint j = 0; j < 2; ++j) {\n" +
        glsl::load("B", "b", "64", false, "k * 64 + j * 32") +
        "sum[j] = coopMatMulAdd(A, B, sum[j]);\n}\n}\n"
        "if (push.n[1] == 1) sum[1] = sum[1] * 2.0;\n"
        "barrier();\n"
        "sum[0] = sum[0] * float(own[1]);\n" +
        glsl::store("sum[0]", "d", "64") + glsl::store("sum[1]", "d", "64", false, "32") + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), Bytes(4),
                        poison(rng, Matrix(Component::kF32, kM, 2 * kN))};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectMatrix(source, group, dispatch, Component::kF32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Loop, testing::ValuesIn(matrixGroupsOf(GroupTest::kLoop)),
                         [](const auto& param) { return nameOf(param.param); });

class Matrix2Grid : public testing::TestWithParam<MatrixGroup> {};

// The result of one product is the addend of another, of other sizes; several workgroups, each with
// its part of the matrices.
TEST_P(Matrix2Grid, ManyWorkgroups) {
    const MatrixGroup& group = GetParam();
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    constexpr uint32_t kSize = 96;
    Rng rng("ManyWorkgroups" + nameOf(group));
    const Matrix a = randomMatrix(rng, Component::kS8, kSize, 48, Fill::kBits);
    const Matrix b = randomMatrix(rng, Component::kS8, 48, kSize, Fill::kBits);
    const std::string source =
        matrix2Header() + buffers(kTypes[2]) + "void main() {\n" +
        "const uint row = gl_WorkGroupID.y * 32, column = gl_WorkGroupID.x * 48;\n" +
        glsl::matrix(Component::kS8, 32, 32, Use::kA) + " A;\n" +
        glsl::matrix(Component::kS8, 32, 48, Use::kB) + " B;\n" +
        glsl::matrix(Component::kS8, 32, 16, Use::kA) + " E;\n" +
        glsl::matrix(Component::kS8, 16, 48, Use::kB) + " F;\n" +
        glsl::matrix(Component::kS32, 32, 48, Use::kAccumulator) + " D;\n" +
        glsl::load("A", "a", "48", false, "row * 48") +
        glsl::load("B", "b", "96", false, "column") +
        glsl::load("E", "a", "48", false, "row * 48 + 32") +
        glsl::load("F", "b", "96", false, "32 * 96 + column") +
        "D = coopMatMulAdd(E, F, coopMatMulAdd(A, B, " +
        glsl::matrix(Component::kS32, 32, 48, Use::kAccumulator) + "(7)));\n" +
        glsl::store("D", "d", "96", false, "row * 96 + column") + "}\n";
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), Bytes(4),
                        poison(rng, Matrix(Component::kS32, kSize, kSize))};
    dispatch.groups = {2, 3, 1};
    expectMatrix(source, group, dispatch, Component::kS32);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Grid,
                         testing::ValuesIn(matrixGroupsOf(GroupTest::kManyWorkgroups)),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_product_test
