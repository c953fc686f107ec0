// SPDX-License-Identifier: Apache-2.0
//
// What the device reports about its cooperative vectors.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/context.hpp"

namespace coopvk::test::vector_properties_test {
namespace {

struct Combination {
    VkComponentTypeKHR input, inputInterpretation, matrix, bias, result;
    bool operator==(const Combination&) const = default;
};

constexpr auto kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr auto kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr auto kS8 = VK_COMPONENT_TYPE_SINT8_KHR;
constexpr auto kU8 = VK_COMPONENT_TYPE_UINT8_KHR;
constexpr auto kS32 = VK_COMPONENT_TYPE_SINT32_KHR;
constexpr auto kU32 = VK_COMPONENT_TYPE_UINT32_KHR;
constexpr auto kPackedS8 = VK_COMPONENT_TYPE_SINT8_PACKED_NV;
constexpr auto kE4M3 = VK_COMPONENT_TYPE_FLOAT_E4M3_NV;
constexpr auto kE5M2 = VK_COMPONENT_TYPE_FLOAT_E5M2_NV;

// The combinations that the specification requires, and some that applications look for.
constexpr Combination kRequired[] = {
    {kF16, kF16, kF16, kF16, kF16},   {kU32, kPackedS8, kS8, kS32, kS32},
    {kS8, kS8, kS8, kS32, kS32},      {kF32, kS8, kS8, kS32, kS32},
    {kF16, kE4M3, kE4M3, kF16, kF16}, {kF16, kE5M2, kE5M2, kF16, kF16},
    {kU8, kU8, kU8, kU32, kU32},      {kF32, kF32, kF32, kF32, kF32},
};

TEST(VectorProperties, Combinations) {
    const VkPhysicalDevice device = Context::get().physical;
    uint32_t count = 0;
    COOPVK_CHECK(vkGetPhysicalDeviceCooperativeVectorPropertiesNV(device, &count, nullptr));
    std::vector<VkCooperativeVectorPropertiesNV> rows(
        count, {VK_STRUCTURE_TYPE_COOPERATIVE_VECTOR_PROPERTIES_NV});
    COOPVK_CHECK(vkGetPhysicalDeviceCooperativeVectorPropertiesNV(device, &count, rows.data()));
    std::vector<Combination> listed;
    for (const VkCooperativeVectorPropertiesNV& row : rows) {
        EXPECT_EQ(row.sType, VK_STRUCTURE_TYPE_COOPERATIVE_VECTOR_PROPERTIES_NV);
        EXPECT_EQ(row.transpose, VK_TRUE);
        listed.push_back({row.inputType, row.inputInterpretation, row.matrixInterpretation,
                          row.biasInterpretation, row.resultType});
        EXPECT_EQ(std::count(listed.begin(), listed.end(), listed.back()), 1);
    }
    for (const Combination& wanted : kRequired)
        EXPECT_EQ(std::count(listed.begin(), listed.end(), wanted), 1)
            << wanted.input << " " << wanted.inputInterpretation << " " << wanted.matrix;

    uint32_t one = 1;
    EXPECT_EQ(vkGetPhysicalDeviceCooperativeVectorPropertiesNV(device, &one, rows.data()),
              VK_INCOMPLETE);
    EXPECT_EQ(one, 1u);
}

TEST(VectorProperties, FeaturesAndLimits) {
    const Context& context = Context::get();
    EXPECT_TRUE(context.features.cooperativeVector.cooperativeVector);
    EXPECT_TRUE(context.features.cooperativeVector.cooperativeVectorTraining);
    VkPhysicalDeviceCooperativeVectorPropertiesNV vector{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &vector};
    vkGetPhysicalDeviceProperties2(context.physical, &properties);
    constexpr VkShaderStageFlags kStages =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT |
        VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
        VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_TASK_BIT_EXT;
    if (context.emulated && (context.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0) {
        EXPECT_EQ(vector.cooperativeVectorSupportedStages & kStages, kStages);
    }
    EXPECT_TRUE(vector.cooperativeVectorTrainingFloat16Accumulation);
    EXPECT_TRUE(vector.cooperativeVectorTrainingFloat32Accumulation);
    EXPECT_GE(vector.maxCooperativeVectorComponents, 1024u);
}

}  // namespace
}  // namespace coopvk::test::vector_properties_test
