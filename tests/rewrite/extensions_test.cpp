// SPDX-License-Identifier: Apache-2.0
//
// What a device must have so that an extension can be emulated on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::extensions_test {
namespace {

using enum Extension;

struct Need {
    bool DeviceTraits::* feature;
    std::string_view name;  // in the message
    std::vector<Extension> extensions;
};
const Need kNeeds[] = {
    {&DeviceTraits::vulkanMemoryModel,
     "vulkanMemoryModel",
     {kKhrCooperativeMatrix, kNvCooperativeMatrix, kQcomCooperativeMatrixConversion,
      kNvCooperativeMatrix2, kExtCooperativeMatrixMaintenance1, kNvCooperativeMatrixDecodeVector,
      kNvCooperativeVector}},
    {&DeviceTraits::subgroupBasic,
     "basic subgroup operations",
     {kKhrCooperativeMatrix, kNvCooperativeMatrix, kQcomCooperativeMatrixConversion,
      kNvCooperativeMatrix2, kExtCooperativeMatrixMaintenance1, kNvCooperativeMatrixDecodeVector,
      kIntel2dBlockIo}},
    {&DeviceTraits::subgroupShuffle, "shuffles", {kQcomCooperativeMatrixConversion}},
    {&DeviceTraits::bufferDeviceAddress,
     "bufferDeviceAddress",
     {kNvCooperativeMatrixDecodeVector, kNvCooperativeVector}},
    {&DeviceTraits::shaderFloat16,
     "shaderFloat16",
     {kNvCooperativeVector, kValveShaderMixedFloatDotProduct}},
    {&DeviceTraits::shaderInt16, "shaderInt16", {kKhrShaderBfloat16, kKhrShaderFloat16Int8}},
    {&DeviceTraits::shaderInt8,
     "shaderInt8",
     {kIntelInt4, kExtShaderFloat8, kExtShaderOcpMicroscalingTypes}},
    {&DeviceTraits::scalarBlockLayout, "scalarBlockLayout", {kExtShaderLongVector}},
};

DeviceTraits deviceWithAll() {
    DeviceTraits device;
    for (const Need& need : kNeeds) device.*need.feature = true;
    device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 32;
    return device;
}

TEST(Extensions, NeedTheseFeatures) {
    for (const ExtensionInfo& row : extensionTable()) {
        EXPECT_EQ(row.missing(deviceWithAll()), "") << row.vulkanName;
        for (const Need& need : kNeeds) {
            DeviceTraits device = deviceWithAll();
            device.*need.feature = false;
            const std::string missing = row.missing(device);
            const bool isNeeded = std::ranges::count(need.extensions, row.extension) != 0;
            EXPECT_EQ(missing.find(need.name) != missing.npos, isNeeded)
                << row.vulkanName << ", " << need.name << ": " << missing;
            EXPECT_EQ(missing.empty(), !isNeeded) << row.vulkanName << ", " << need.name;
        }
    }
}

TEST(Extensions, OfSubgroupsNeedASizeThatIsKnown) {
    struct Sizes {
        uint32_t usual, least, most;
        bool isControlled;
        std::string_view missing;
    };
    constexpr Sizes kSizes[] = {
        {4, 4, 4, false, ""},
        {128, 128, 128, false, ""},
        {2, 2, 2, true, "from 4 to 128"},
        {256, 256, 256, true, "from 4 to 128"},
        {32, 32, 64, true, ""},
        {32, 32, 64, false, "subgroupSizeControl"},
        {32, 16, 32, false, "subgroupSizeControl"},
    };
    for (const Sizes& sizes : kSizes) {
        DeviceTraits device = deviceWithAll();
        device.subgroupSize = sizes.usual;
        device.minSubgroupSize = sizes.least;
        device.maxSubgroupSize = sizes.most;
        device.subgroupSizeControl = sizes.isControlled;
        for (const ExtensionInfo& row : extensionTable()) {
            const bool hasSubgroups = std::ranges::count(kNeeds[1].extensions, row.extension) != 0;
            const std::string missing = row.missing(device);
            EXPECT_EQ(missing.empty(), !hasSubgroups || sizes.missing.empty())
                << row.vulkanName << sizes.usual << missing;
            if (!missing.empty()) {
                EXPECT_NE(missing.find(sizes.missing), missing.npos) << missing;
            }
        }
    }
}

TEST(Extensions, HaveTheirRows) {
    for (const ExtensionInfo& row : extensionTable()) {
        EXPECT_EQ(&info(row.extension), &row);
        EXPECT_EQ(extensionFromVulkanName(row.vulkanName), row.extension);
    }
    EXPECT_EQ(extensionFromVulkanName("VK_KHR_cooperative"), std::nullopt);
    EXPECT_EQ(extensionFromVulkanName(""), std::nullopt);
}

}  // namespace
}  // namespace coopvk::rewrite::extensions_test
