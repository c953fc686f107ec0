// SPDX-License-Identifier: Apache-2.0
//
// What the driver lists of matrices, and the sizes that it gives.
#include <algorithm>
#include <cstdlib>

#include "vulkan.hpp"

namespace coopvk::reference::test::lists_test {
namespace {

// The setting is read when the instance is made.
class Lists : public Vulkan, public testing::WithParamInterface<const char*> {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_GRANULARITY", GetParam(), 1);
        Vulkan::SetUp();
    }
    void TearDown() override {
        Vulkan::TearDown();
        unsetenv("COOPVK_REFERENCE_GRANULARITY");
    }
};

TEST_P(Lists, FlexibleDimensionsHaveTheGranularityOfTheSetting) {
    const auto query = vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV;
    uint32_t count = 0;
    ASSERT_VK(query(physical, &count, nullptr));
    std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> rows(
        count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV});
    ASSERT_VK(query(physical, &count, rows.data()));
    ASSERT_NE(count, 0u);
    const auto expected = static_cast<uint32_t>(std::atoi(GetParam()));
    for (const auto& row : rows) {
        EXPECT_EQ(row.MGranularity, expected);
        EXPECT_EQ(row.NGranularity, expected);
        EXPECT_EQ(row.KGranularity, expected);
    }
}
INSTANTIATE_TEST_SUITE_P(Granularity, Lists, testing::Values("1", "8"));

class Families : public Vulkan {};

// VkQueueFamilyGlobalPriorityProperties: priorities ascend, and none between the first and the last
// is left out. Each is twice the one before (VkQueueGlobalPriority).
TEST_F(Families, HavePriorities) {
    VkQueueFamilyGlobalPriorityProperties priorities{
        VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES};
    VkQueueFamilyProperties2 family{VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, &priorities};
    uint32_t count = 1;
    vkGetPhysicalDeviceQueueFamilyProperties2(physical, &count, &family);
    ASSERT_GE(priorities.priorityCount, 1u);
    ASSERT_LE(priorities.priorityCount, 4u);
    for (uint32_t i = 1; i < priorities.priorityCount; ++i)
        EXPECT_EQ(priorities.priorities[i], 2 * priorities.priorities[i - 1]);
    const auto* listed =
        std::find(priorities.priorities, priorities.priorities + priorities.priorityCount,
                  VK_QUEUE_GLOBAL_PRIORITY_MEDIUM);
    EXPECT_NE(listed, priorities.priorities + priorities.priorityCount);  // that of all queues
}

class VectorMatrices : public Vulkan {};

// VK_NV_cooperative_vector: matrices in an optimal layout start at multiples of 64 bytes. So the
// size is one, and matrices that follow each other are aligned. Conversions write "the number of
// bytes" that they need, so what one has written is enough for the next.
TEST_F(VectorMatrices, OptimalMatricesFollowEachOther) {
    for (const auto layout : {VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV,
                              VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV}) {
        size_t size = 0;
        VkConvertCooperativeVectorMatrixInfoNV info{
            VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
        info.pDstSize = &size;
        info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_FLOAT16_KHR;
        info.numRows = 5;
        info.numColumns = 7;
        info.srcLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
        info.srcStride = 16;
        info.dstLayout = layout;
        const auto convert = reinterpret_cast<PFN_vkConvertCooperativeVectorMatrixNV>(
            vkGetDeviceProcAddr(device, "vkConvertCooperativeVectorMatrixNV"));
        ASSERT_NE(convert, nullptr);
        ASSERT_VK(convert(device, &info));
        EXPECT_GE(size, 5u * 7 * 2);
        EXPECT_EQ(size % 64, 0u);
        const size_t needed = size;
        const std::vector<std::byte> source(5 * 16);
        std::vector<std::byte> target(2 * needed, std::byte{9});
        info.srcSize = source.size();
        info.srcData.hostAddress = source.data();
        for (const size_t offset : {size_t{0}, needed}) {
            info.dstData.hostAddress = target.data() + offset;
            EXPECT_EQ(convert(device, &info), VK_SUCCESS);
            EXPECT_EQ(size, needed);
        }
        EXPECT_EQ(target, std::vector<std::byte>(2 * needed));  // zeros
    }
}

class Layouts : public Vulkan {};

// "maxInlineUniformBlockSize": a layout with a larger block is not supported.
TEST_F(Layouts, InlineBlocksHaveASizeAtMost) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) GTEST_SKIP() << "the layer reports it";
    VkPhysicalDeviceVulkan13Properties limits{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(physical, &all);
    for (const uint32_t more : {0u, 4u}) {
        const VkDescriptorSetLayoutBinding block{0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
                                                 limits.maxInlineUniformBlockSize + more,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        const VkDescriptorBindingFlags isVariable =
            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
        const VkDescriptorSetLayoutBindingFlagsCreateInfo flags{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 1,
            &isVariable};
        const VkDescriptorSetLayoutCreateInfo info{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &flags, 0, 1, &block};
        VkDescriptorSetVariableDescriptorCountLayoutSupport most{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
        VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT,
                                             &most};
        vkGetDescriptorSetLayoutSupport(device, &info, &support);
        EXPECT_EQ(support.supported, more == 0);
        EXPECT_EQ(most.maxVariableDescriptorCount, limits.maxInlineUniformBlockSize);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::lists_test
