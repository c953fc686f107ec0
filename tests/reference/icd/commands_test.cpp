// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "vulkan.hpp"

namespace coopvk::reference::test::commands_test {
namespace {

struct Row {
    const char* name;
    std::string level;
    std::string extension;
};
#define COOPVK_COMMAND(name, target, level, extension, needed) Row{#name, #level, extension},
const Row kRows[] = {
#include "commands.inc"
};

class Commands : public Vulkan {};

TEST_F(Commands, EveryCommandOfTheCoreResolves) {
    for (const Row& row : kRows) {
        if (!row.extension.empty()) continue;
        if (row.level == "kDevice") {
            EXPECT_NE(vkGetDeviceProcAddr(device, row.name), nullptr) << row.name;
        }
        const bool global = row.level == "kGlobal";
        EXPECT_NE(vkGetInstanceProcAddr(global ? VK_NULL_HANDLE : instance, row.name), nullptr)
            << row.name;
    }
}

TEST_F(Commands, OfExtensionsOnlyWhereTheyAreEnabled) {
    EXPECT_NE(vkGetDeviceProcAddr(device, "vkCreateShadersEXT"), nullptr);
    EXPECT_EQ(vkGetDeviceProcAddr(device, "vkCmdPushConstants2KHR"), nullptr);
    EXPECT_EQ(vkGetDeviceProcAddr(device, "vkNoSuchCommand"), nullptr);
}

// Two structures that hold the same facts say the same.
TEST_F(Commands, VersionsAndExtensionsAgree) {
    VkPhysicalDeviceSubgroupProperties subgroup{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceMaintenance4Properties maintenance4{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, &subgroup};
    VkPhysicalDeviceSubgroupSizeControlProperties control{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, &maintenance4};
    VkPhysicalDeviceVulkan13Properties v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
                                           &control};
    VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                           &v13};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v11};
    vkGetPhysicalDeviceProperties2(physical, &all);
    EXPECT_EQ(v11.subgroupSize, subgroup.subgroupSize);
    EXPECT_EQ(v11.subgroupSupportedOperations, subgroup.supportedOperations);
    EXPECT_EQ(v11.subgroupSupportedStages, VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT});
    EXPECT_EQ(v13.maxSubgroupSize, control.maxSubgroupSize);
    EXPECT_EQ(v13.maxBufferSize, maintenance4.maxBufferSize);
    EXPECT_GE(v11.subgroupSize, v13.minSubgroupSize);
    EXPECT_EQ(all.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_CPU);
}

// VK_EXT_robustness2 names structures of VK_KHR_robustness2. The alignments must be 1 or a power of
// two up to 256 (VkPhysicalDeviceRobustness2PropertiesKHR).
TEST_F(Commands, StructuresWithTwoNamesAreFilled) {
    VkPhysicalDeviceRobustness2FeaturesEXT robust{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &robust};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    EXPECT_TRUE(robust.robustBufferAccess2);
    EXPECT_FALSE(robust.robustImageAccess2);
    VkPhysicalDeviceRobustness2PropertiesEXT sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
    vkGetPhysicalDeviceProperties2(physical, &all);
    EXPECT_EQ(sizes.robustStorageBufferAccessSizeAlignment, 1u);
    EXPECT_EQ(sizes.robustUniformBufferAccessSizeAlignment, 1u);
}

// Extensions have all of their features; a long vector may be as long as a cooperative one.
TEST_F(Commands, LongVectorsAndClocks) {
    VkPhysicalDeviceShaderLongVectorFeaturesEXT vectors{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT};
    VkPhysicalDeviceShaderClockFeaturesKHR clocks{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, &vectors};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &clocks};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    EXPECT_TRUE(vectors.longVector);
    EXPECT_TRUE(clocks.shaderSubgroupClock && clocks.shaderDeviceClock);
    VkPhysicalDeviceShaderLongVectorPropertiesEXT lengths{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &lengths};
    vkGetPhysicalDeviceProperties2(physical, &all);
    EXPECT_EQ(lengths.maxVectorComponents, 1024u);
}

TEST_F(Commands, NoFormatHasFeatures) {
    for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_SFLOAT}) {
        VkFormatProperties properties{1, 1, 1};
        vkGetPhysicalDeviceFormatProperties(physical, format, &properties);
        EXPECT_EQ(properties.bufferFeatures | properties.linearTilingFeatures |
                      properties.optimalTilingFeatures,
                  0u);
        VkImageFormatProperties image;
        EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties(physical, format, VK_IMAGE_TYPE_2D,
                                                           VK_IMAGE_TILING_OPTIMAL,
                                                           VK_IMAGE_USAGE_STORAGE_BIT, 0, &image),
                  VK_ERROR_FORMAT_NOT_SUPPORTED);
    }
}

// VkPhysicalDeviceMemoryProperties: a type must not come behind one with a superset of its
// properties, one is host-visible and coherent, one is device-local.
// VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT is "set if and only if the memory type belongs to a heap with
// the VK_MEMORY_HEAP_DEVICE_LOCAL_BIT".
TEST_F(Commands, MemoryTypesAreInOrder) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    VkMemoryPropertyFlags all = 0;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
        all |= flags;
        const VkMemoryHeap& heap = memory.memoryHeaps[memory.memoryTypes[i].heapIndex];
        EXPECT_EQ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0,
                  (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
            << i;
        for (uint32_t before = 0; before < i; ++before) {
            const VkMemoryPropertyFlags earlier = memory.memoryTypes[before].propertyFlags;
            EXPECT_FALSE(earlier != flags && (earlier & flags) == flags) << before << " " << i;
        }
    }
    EXPECT_NE(all & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0u);
    EXPECT_NE(all & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0u);
}

TEST_F(Commands, FeaturesThatItLacksAreRefused) {
    VkPhysicalDeviceFeatures features{};
    features.geometryShader = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pEnabledFeatures = &features;
    VkDevice other = VK_NULL_HANDLE;
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &other), VK_ERROR_FEATURE_NOT_PRESENT);
}

TEST_F(Commands, PrivateDataBelongsToAnObject) {
    const VkPrivateDataSlotCreateInfo info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
    VkPrivateDataSlot slot = VK_NULL_HANDLE;
    ASSERT_VK(vkCreatePrivateDataSlot(device, &info, nullptr, &slot));
    uint64_t data = 1;
    const auto object = reinterpret_cast<uint64_t>(pool);
    vkGetPrivateData(device, VK_OBJECT_TYPE_COMMAND_POOL, object, slot, &data);
    EXPECT_EQ(data, 0u);
    EXPECT_VK(vkSetPrivateData(device, VK_OBJECT_TYPE_COMMAND_POOL, object, slot, 17));
    vkGetPrivateData(device, VK_OBJECT_TYPE_COMMAND_POOL, object, slot, &data);
    EXPECT_EQ(data, 17u);
    vkDestroyPrivateDataSlot(device, slot, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::commands_test
