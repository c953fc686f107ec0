// SPDX-License-Identifier: Apache-2.0
//
// Which sizes of matrices the tests of bfloat16 and 8-bit floats treat as listed.
#include "harness/listed.hpp"

#include <gtest/gtest.h>

namespace coopvk::test::listed_test {
namespace {

using enum Component;

constexpr VkComponentTypeKHR kVkBf16 = VK_COMPONENT_TYPE_BFLOAT16_KHR;
constexpr VkComponentTypeKHR kVkF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;

// A device with 16x8x32 products of bf16 into f32 in a subgroup, and with multiples of 32x16x64 up
// to 256 in a workgroup of 128.
ListedMatrices oneOfEach() {
    VkCooperativeMatrixPropertiesKHR size{VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    size.MSize = 16;
    size.NSize = 8;
    size.KSize = 32;
    size.AType = size.BType = kVkBf16;
    size.CType = size.ResultType = kVkF32;
    size.scope = VK_SCOPE_SUBGROUP_KHR;
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV flexible{
        VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV};
    flexible.MGranularity = 32;
    flexible.NGranularity = 16;
    flexible.KGranularity = 64;
    flexible.AType = flexible.BType = kVkBf16;
    flexible.CType = flexible.ResultType = kVkF32;
    flexible.scope = VK_SCOPE_WORKGROUP_KHR;
    flexible.workgroupInvocations = 128;
    return {{size}, {flexible}, 256};
}

const MatrixGroup kWorkgroup = {true, {64, 2, 1}};

struct MatrixCase {
    NeededMatrix matrix;
    bool isListed;
};
const MatrixCase kMatrices[] = {
    {{kBF16, 16, 32, Use::kA}, true},
    {{kBF16, 32, 8, Use::kB}, true},
    {{kF32, 16, 8, Use::kAccumulator}, true},
    // Other sizes, types and uses.
    {{kBF16, 32, 32, Use::kA}, false},
    {{kBF16, 16, 16, Use::kA}, false},
    {{kBF16, 32, 16, Use::kB}, false},
    {{kF16, 16, 32, Use::kA}, false},
    {{kBF16, 16, 8, Use::kAccumulator}, false},
    {{kF32, 16, 32, Use::kA}, false},
    // Multiples, up to the largest dimension; of that many invocations only.
    {{kBF16, 32, 64, Use::kA, kWorkgroup}, true},
    {{kBF16, 256, 192, Use::kA, kWorkgroup}, true},
    {{kBF16, 128, 48, Use::kB, kWorkgroup}, true},
    {{kBF16, 288, 64, Use::kA, kWorkgroup}, false},
    {{kBF16, 16, 64, Use::kA, kWorkgroup}, false},
    {{kBF16, 32, 64, Use::kA, {true, {64, 1, 1}}}, false},
    {{kBF16, 16, 32, Use::kA, kWorkgroup}, false},
    {{kBF16, 32, 64, Use::kA}, false},
};

TEST(ListedMatrices, SizesTypesUsesAndGroups) {
    const ListedMatrices listed = oneOfEach();
    for (const MatrixCase& c : kMatrices)
        EXPECT_EQ(isListed(c.matrix, listed), c.isListed) << describe(c.matrix);
}

TEST(ListedMatrices, ProductsAreOfOneRow) {
    const ListedMatrices listed = oneOfEach();
    const NeededProduct product = {16, 8, 32, kBF16, kBF16, kF32, kF32};
    EXPECT_TRUE(isListed(product, listed));
    EXPECT_TRUE(isListed(NeededProduct{64, 16, 128, kBF16, kBF16, kF32, kF32, kWorkgroup}, listed));
    for (const auto& change : std::vector<void (*)(NeededProduct&)>{
             [](NeededProduct& p) { p.m = 32; }, [](NeededProduct& p) { p.n = 16; },
             [](NeededProduct& p) { p.k = 16; }, [](NeededProduct& p) { p.a = kF16; },
             [](NeededProduct& p) { p.b = kE4M3; }, [](NeededProduct& p) { p.c = kBF16; },
             [](NeededProduct& p) { p.result = kBF16; },
             [](NeededProduct& p) { p.group = kWorkgroup; }}) {
        NeededProduct other = product;
        change(other);
        EXPECT_FALSE(isListed(other, listed));
    }
}

TEST(ListedMatrices, TellTheSize) {
    EXPECT_EQ(describe({kBF16, 16, 32, Use::kA}), "a 16x32 A of bf16 of a subgroup");
    EXPECT_EQ(describe({kE4M3, 64, 48, Use::kAccumulator, kWorkgroup}),
              "a 64x48 C of e4m3 of a workgroup of 128");
}

}  // namespace
}  // namespace coopvk::test::listed_test
