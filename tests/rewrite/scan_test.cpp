// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::scan_test {
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

// Of a module that ends within an instruction nothing is known.
TEST(Scan, BrokenModules) {
    std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    DeviceTraits device;
    using enum ComponentType;
    device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    EXPECT_TRUE(mayUseAddedShapes(words, device, ExtensionSet::all(), {}));
    words.pop_back();
    words.back() += 1u << 16;
    EXPECT_FALSE(mayUseAddedShapes(words, device, ExtensionSet::all(), {}));
    EXPECT_FALSE(mayDependOnLayout(words));
}

TEST(Table, NamesLeadBackToTheirRows) {
    for (const ExtensionInfo& row : extensionTable()) {
        EXPECT_EQ(extensionFromVulkanName(row.vulkanName), row.extension);
        EXPECT_TRUE(row.isByNameOnly || !row.capabilities.empty());
    }
    EXPECT_FALSE(extensionFromVulkanName("VK_KHR_swapchain"));
}

// A capability counts unless only the device's own features allow it.
TEST(Scan, LeavesTheDevicesOwn) {
    for (const ExtensionInfo& row : extensionTable()) {
        if (row.extension == Extension::kExtShaderAtomicFloat) continue;  // has tests of its own
        for (const ExtensionCapability& one : row.capabilities) {
            const std::vector<uint32_t> words = {0x07230203, 0x00010600,    0, 8, 0,
                                                 0x00020011, one.capability};
            ExtensionFeatures own;
            EXPECT_EQ(scan(words, {row.extension}, own), ExtensionSet{row.extension});
            own[row.extension] = ~one.features;
            EXPECT_EQ(scan(words, {row.extension}, own), ExtensionSet{row.extension});
            own[row.extension] = one.features;
            EXPECT_TRUE(scan(words, {row.extension}, own).empty()) << row.vulkanName;
        }
    }
}

// test_version.sh compares it with the sources.
TEST(Version, HasTheReleasesAndTheSources) {
    const std::string_view text = version();
    const size_t plus = text.find('+');
    ASSERT_NE(plus, text.npos) << text;
    EXPECT_EQ(text.substr(plus + 1).size(), 12u);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef", plus + 1), text.npos);
    EXPECT_EQ(text.find_first_of("\n \""), text.npos);
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

// Matrices of a workgroup have no capability of their own.
TEST(Scan, FindsWorkgroupMatrices) {
    constexpr auto kMatrix2 = Extension::kNvCooperativeMatrix2;
    const std::string subgroup = test::multiplyModule(16, 16, 16);
    std::string workgroup = subgroup, open = subgroup;
    for (size_t at = 0; (at = workgroup.find("KHR %f16 %c3", at)) != workgroup.npos; ++at) {
        workgroup.replace(at, 12, "KHR %f16 %c2");
    }
    open.replace(open.find("%c3 = OpConstant "), 17, "%c3 = OpSpecConstant ");
    EXPECT_TRUE(scan(test::assemble(subgroup), {kMatrix2}).empty());
    for (const std::string& text : {workgroup, open}) {
        const std::vector<uint32_t> words = test::assemble(text);
        EXPECT_EQ(scan(words, {kMatrix2}), ExtensionSet{kMatrix2});
        ExtensionFeatures own;
        own[kMatrix2] = 1;  // cooperativeMatrixWorkgroupScope
        EXPECT_TRUE(scan(words, {kMatrix2}, own).empty());
        EXPECT_TRUE(scan(words, {Extension::kNvCooperativeVector}).empty());
        for (size_t length = 0; length < words.size(); length += 3) {
            scan(std::span(words).first(length), {kMatrix2});  // a part of a module harms nobody
        }
    }
}

// A capability of two extensions is the device's if the device has one of them.
TEST(Scan, SharedCapabilities) {
    constexpr auto kMatrix2 = Extension::kNvCooperativeMatrix2;
    constexpr auto kMaintenance1 = Extension::kExtCooperativeMatrixMaintenance1;
    const auto reductions = static_cast<uint32_t>(spv::Capability::CooperativeMatrixReductionsNV);
    const std::vector<uint32_t> words = {0x07230203, 0x00010600, 0, 8, 0, 0x00020011, reductions};
    ExtensionFeatures own;
    EXPECT_EQ(scan(words, {kMatrix2, kMaintenance1}, own), (ExtensionSet{kMatrix2, kMaintenance1}));
    own[kMatrix2] = 1u << 2;  // cooperativeMatrixReductions
    EXPECT_TRUE(scan(words, {kMatrix2, kMaintenance1}, own).empty());
    EXPECT_EQ(scan(words, {kMaintenance1}, own), ExtensionSet{kMaintenance1});
}

}  // namespace
}  // namespace coopvk::rewrite::scan_test
