// SPDX-License-Identifier: Apache-2.0
//
// The layer's own extensions as an application sees them: lists, features, queries, devices.
#include <gtest/gtest.h>
#include <volk.h>

#include <algorithm>
#include <set>

#include "coopvk/vulkan_coopvk.h"
#include "harness/requirement.hpp"

namespace coopvk::test::coopvk_extensions_test {
namespace {

template <typename Function>
Function query(const char* name) {
    return reinterpret_cast<Function>(vkGetInstanceProcAddr(Context::get().instance, name));
}

VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK blockFeatures() {
    VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK, nullptr, 0, 0, 0};
    VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
    vkGetPhysicalDeviceFeatures2(Context::get().physical, &core);
    features.pNext = nullptr;
    return features;
}

TEST(CoopvkExtensions, BlockFeaturesAndProperties) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    EXPECT_TRUE(Context::get().has(VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME));
    const auto features = blockFeatures();
    EXPECT_TRUE(features.shader2DBlockIO);
    EXPECT_TRUE(features.shader2DBlockTransform);
    EXPECT_TRUE(features.shader2DBlockTranspose);
    VkPhysicalDeviceShader2DBlockIOPropertiesCOOPVK properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_PROPERTIES_COOPVK, nullptr, 0, 0};
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(Context::get().physical, &core);
    EXPECT_TRUE(properties.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
    EXPECT_GT(properties.maxElementsPerInvocation, 0u);
}

TEST(CoopvkExtensions, BlockSizes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto getSizes = query<PFN_vkGetPhysicalDeviceShader2DBlockSizesCOOPVK>(
        "vkGetPhysicalDeviceShader2DBlockSizesCOOPVK");
    ASSERT_NE(getSizes, nullptr);
    const VkPhysicalDevice device = Context::get().physical;
    uint32_t count = 0;
    COOPVK_CHECK(getSizes(device, &count, nullptr));
    std::vector<VkShader2DBlockSizesCOOPVK> sizes(count,
                                                  {VK_STRUCTURE_TYPE_SHADER_2D_BLOCK_SIZES_COOPVK});
    COOPVK_CHECK(getSizes(device, &count, sizes.data()));
    std::set<std::pair<int, uint32_t>> seen;
    for (const VkShader2DBlockSizesCOOPVK& row : sizes) {
        EXPECT_EQ(row.sType, VK_STRUCTURE_TYPE_SHADER_2D_BLOCK_SIZES_COOPVK);
        EXPECT_TRUE(seen.insert({row.operation, row.elementSize}).second);
        EXPECT_EQ(row.widthGranularity, row.elementSize < 4 ? 4 / row.elementSize : 1);
        EXPECT_GE(std::min({row.maxWidth, row.maxHeight, row.maxCount}), 64u);
    }
    // Five operations with four element sizes, but that 8 bytes cannot be transformed.
    EXPECT_EQ(seen.size(), 19u);
    count = 3;
    EXPECT_EQ(getSizes(device, &count, sizes.data()), VK_INCOMPLETE);
    EXPECT_EQ(count, 3u);
}

TEST(CoopvkExtensions, Int4Features) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    EXPECT_TRUE(Context::get().has(VK_COOPVK_SHADER_INT4_EXTENSION_NAME));
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK, nullptr, 0, 0};
    VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
    vkGetPhysicalDeviceFeatures2(Context::get().physical, &core);
    EXPECT_TRUE(features.shaderInt4);
    EXPECT_TRUE(features.shaderInt4CooperativeMatrix);
}

// The driver must see neither the names nor the structures.
TEST(CoopvkExtensions, DeviceWithAll) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Context& context = Context::get();
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = context.queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan13Features behind{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    behind.maintenance4 = VK_TRUE;
    VkPhysicalDeviceShaderInt4FeaturesCOOPVK int4{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK, &behind, VK_TRUE, VK_TRUE};
    auto blocks = blockFeatures();
    blocks.pNext = &int4;
    VkPhysicalDeviceVulkan12Features before{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            &blocks};
    before.scalarBlockLayout = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &before};
    const char* names[] = {VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME,
                           VK_COOPVK_SHADER_INT4_EXTENSION_NAME};
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = names;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    VkDevice device = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateDevice(context.physical, &info, nullptr, &device));
    EXPECT_EQ(before.pNext, &blocks) << "the application's memory is the application's";
    EXPECT_EQ(blocks.pNext, &int4);
    VolkDeviceTable table;
    volkLoadDeviceTable(&table, device);
    table.vkDestroyDevice(device, nullptr);
}

}  // namespace
}  // namespace coopvk::test::coopvk_extensions_test
