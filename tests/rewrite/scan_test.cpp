// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {
namespace {

TEST(Scan, SeesDeclaredCapabilitiesOnly) {
    const std::vector<uint32_t> uses = test::assemble(test::multiplyModule(16, 8, 16));
    EXPECT_TRUE(scan(uses, ExtensionSet::all()).contains(Extension::kKhrCooperativeMatrix));
    EXPECT_TRUE(scan(uses, {}).empty());
    const std::vector<uint32_t> plain =
        test::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    EXPECT_TRUE(scan(plain, ExtensionSet::all()).empty());
    EXPECT_TRUE(scan({}, ExtensionSet::all()).empty());
}

TEST(Table, NamesLeadBackToTheirRows) {
    for (const ExtensionInfo& row : extensionTable()) {
        EXPECT_EQ(extensionFromVulkanName(row.vulkanName), row.extension);
        EXPECT_FALSE(row.capabilities.empty());
    }
    EXPECT_FALSE(extensionFromVulkanName("VK_KHR_swapchain"));
}

TEST(Shapes, FollowTheDevice) {
    DeviceTraits device;
    device.subgroupSize = 8;
    const std::vector<MatrixShape> shapes = matrixShapes(device);
    ASSERT_FALSE(shapes.empty());
    // Applications take the first f16 row, with tiles of max(subgroup size, 8) rows.
    EXPECT_EQ(shapes[0].a, ComponentType::kFloat16);
    EXPECT_LE(shapes[0].m, 8u);
    for (size_t i = 0; i < shapes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) EXPECT_FALSE(shapes[i] == shapes[j]) << i << " " << j;
        EXPECT_NE(shapes[i].a, ComponentType::kFloat64);
    }
    device.shaderFloat16 = false;
    for (const MatrixShape& shape : matrixShapes(device)) {
        EXPECT_NE(shape.a, ComponentType::kFloat16);
    }
}

}  // namespace
}  // namespace coopvk::rewrite
