// SPDX-License-Identifier: Apache-2.0
#include "other_device.hpp"

namespace coopvk::test {

OtherDevice::OtherDevice(bool matrices)
    : OtherDevice(matrices, Context::get().physical, vkCreateDevice) {}

OtherDevice::OtherDevice(bool matrices, VkPhysicalDevice physical, PFN_vkCreateDevice create,
                         const VkAllocationCallbacks* allocator)
    : allocator_(allocator) {
    // Only what the shaders need themselves; for example, only the layer needs subgroup size
    // control.
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    feature.cooperativeMatrix = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    v12.scalarBlockLayout = VK_TRUE;
    v12.vulkanMemoryModel = VK_TRUE;
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                         &v12};
    v13.maintenance4 = VK_TRUE;
    if (matrices) v12.pNext = &feature;
    const char* const extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    device_ = vulkan::createDevice(physical, create, Context::get().queueFamily,
                                   {&extension, matrices ? 1u : 0u}, &v13, allocator_);
    volkLoadDeviceTable(&table_, device_);
}

OtherDevice::~OtherDevice() { table_.vkDestroyDevice(device_, allocator_); }

VkResult OtherDevice::makePipeline(const Words& words) {
    const vulkan::Layout layout(device_, table_, 4u, kPushBytes);
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size() * 4;
    moduleInfo.pCode = words.data();
    const Specialization special(Context::get(), {});
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout.pipeline;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special.info;
    COOPVK_CHECK(table_.vkCreateShaderModule(device_, &moduleInfo, allocator_, &info.stage.module));
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        table_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, allocator_, &pipeline);
    table_.vkDestroyShaderModule(device_, info.stage.module, allocator_);
    table_.vkDestroyPipeline(device_, pipeline, allocator_);
    return result;
}

OtherInstance::OtherInstance() {
    instance_ = vulkan::createInstance("coopvk driver tests", VK_API_VERSION_1_4);
    volkLoadInstanceTable(&table_, instance_);
    physical_ = vulkan::physicalDevice(instance_, table_.vkEnumeratePhysicalDevices, 0);
}

OtherInstance::~OtherInstance() { table_.vkDestroyInstance(instance_, nullptr); }

}  // namespace coopvk::test
