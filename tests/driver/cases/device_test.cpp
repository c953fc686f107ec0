// SPDX-License-Identifier: Apache-2.0
//
// What the device says of itself, and more devices beside the one that the other tests share.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/requirement.hpp"
#include "harness/samples.hpp"

namespace coopvk::test {
namespace {

// A device of its own with its own dispatch table.
class OtherDevice {
 public:
    explicit OtherDevice(bool matrices) {
        const Context& context = Context::get();
        const float priority = 1;
        VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queue.queueFamilyIndex = context.queueFamily;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        // Only what the shaders need themselves; subgroup size control, for one, is the layer's
        // need.
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
        feature.cooperativeMatrix = VK_TRUE;
        VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
        v12.scalarBlockLayout = VK_TRUE;
        v12.vulkanMemoryModel = VK_TRUE;
        VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                             &v12};
        v13.maintenance4 = VK_TRUE;
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v13};
        const char* extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
        if (matrices) {
            v12.pNext = &feature;
            info.enabledExtensionCount = 1;
            info.ppEnabledExtensionNames = &extension;
        }
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        COOPVK_CHECK(vkCreateDevice(context.physical, &info, nullptr, &device_));
        volkLoadDeviceTable(&table_, device_);
    }
    ~OtherDevice() { table_.vkDestroyDevice(device_, nullptr); }
    OtherDevice(const OtherDevice&) = delete;
    OtherDevice& operator=(const OtherDevice&) = delete;

    // A pipeline from a shader that reads and writes the tests' buffers.
    VkResult makePipeline(const Words& words) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (uint32_t i = 0; i < 4; ++i)
            bindings.push_back(
                {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        VkDescriptorSetLayoutCreateInfo setInfo{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        setInfo.bindingCount = 4;
        setInfo.pBindings = bindings.data();
        VkDescriptorSetLayout set = VK_NULL_HANDLE;
        COOPVK_CHECK(table_.vkCreateDescriptorSetLayout(device_, &setInfo, nullptr, &set));
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
        VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        layoutInfo.setLayoutCount = 1;
        layoutInfo.pSetLayouts = &set;
        layoutInfo.pushConstantRangeCount = 1;
        layoutInfo.pPushConstantRanges = &range;
        VkPipelineLayout layout = VK_NULL_HANDLE;
        COOPVK_CHECK(table_.vkCreatePipelineLayout(device_, &layoutInfo, nullptr, &layout));
        const VkResult result = makePipeline(words, layout);
        table_.vkDestroyPipelineLayout(device_, layout, nullptr);
        table_.vkDestroyDescriptorSetLayout(device_, set, nullptr);
        return result;
    }

 private:
    VkResult makePipeline(const Words& words, VkPipelineLayout layout) {
        VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        moduleInfo.codeSize = words.size() * 4;
        moduleInfo.pCode = words.data();
        const Specialization special(Context::get(), {});
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.layout = layout;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &special.info;
        COOPVK_CHECK(
            table_.vkCreateShaderModule(device_, &moduleInfo, nullptr, &info.stage.module));
        VkPipeline pipeline = VK_NULL_HANDLE;
        const VkResult result =
            table_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        table_.vkDestroyShaderModule(device_, info.stage.module, nullptr);
        table_.vkDestroyPipeline(device_, pipeline, nullptr);
        return result;
    }

    VkDevice device_ = VK_NULL_HANDLE;
    VolkDeviceTable table_{};
};

// VK_KHR_cooperative_matrix asks for no more than its feature and the memory model.
TEST(Devices, BesideEachOther) {
    OtherDevice with(true), without(false), again(true);
    const Words sum = scaledSum(50);
    EXPECT_EQ(with.makePipeline(sum), VK_SUCCESS);
    EXPECT_EQ(again.makePipeline(sum), VK_SUCCESS);
    EXPECT_EQ(without.makePipeline(plain()), VK_SUCCESS);
    EXPECT_EQ(with.makePipeline(plain()), VK_SUCCESS);
    expectValue(sum, {}, scaledSumOf(51));
}

TEST(Devices, StagesAndFeatures) {
    const Context& context = Context::get();
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrix{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &matrix};
    vkGetPhysicalDeviceProperties2(context.physical, &properties);
    EXPECT_TRUE(matrix.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
    EXPECT_TRUE(context.features.cooperativeMatrix.cooperativeMatrix);
    EXPECT_EQ(std::count(context.extensions.begin(), context.extensions.end(),
                         VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME),
              1);
}

// Too small an array is filled as far as it goes, and the caller told.
TEST(Devices, ShortQueries) {
    const Context& context = Context::get();
    uint32_t count = 1;
    VkCooperativeMatrixPropertiesKHR shape{VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    EXPECT_EQ(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(context.physical, &count, &shape),
              context.shapes.size() > 1 ? VK_INCOMPLETE : VK_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(shape.MSize, context.shapes[0].MSize);
    EXPECT_EQ(shape.AType, context.shapes[0].AType);
    VkExtensionProperties extension{};
    EXPECT_EQ(vkEnumerateDeviceExtensionProperties(context.physical, nullptr, &count, &extension),
              VK_INCOMPLETE);
    EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace coopvk::test
