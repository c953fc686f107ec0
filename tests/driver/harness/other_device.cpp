// SPDX-License-Identifier: Apache-2.0
#include "other_device.hpp"

namespace coopvk::test {

OtherDevice::OtherDevice(bool matrices)
    : OtherDevice(matrices, Context::get().physical, vkCreateDevice) {}

OtherDevice::OtherDevice(bool matrices, VkPhysicalDevice physical, PFN_vkCreateDevice create,
                         const VkAllocationCallbacks* allocator)
    : allocator_(allocator) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = Context::get().queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
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
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v13};
    const char* extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    if (matrices) {
        v12.pNext = &feature;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    COOPVK_CHECK(create(physical, &info, allocator_, &device_));
    volkLoadDeviceTable(&table_, device_);
}

OtherDevice::~OtherDevice() { table_.vkDestroyDevice(device_, allocator_); }

VkResult OtherDevice::makePipeline(const Words& words) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < 4; ++i)
        bindings.push_back(
            {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 4;
    setInfo.pBindings = bindings.data();
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    COOPVK_CHECK(table_.vkCreateDescriptorSetLayout(device_, &setInfo, allocator_, &set));
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &set;
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    COOPVK_CHECK(table_.vkCreatePipelineLayout(device_, &layoutInfo, allocator_, &layout));
    const VkResult result = makePipeline(words, layout);
    table_.vkDestroyPipelineLayout(device_, layout, allocator_);
    table_.vkDestroyDescriptorSetLayout(device_, set, allocator_);
    return result;
}

VkResult OtherDevice::makePipeline(const Words& words, VkPipelineLayout layout) {
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
    COOPVK_CHECK(table_.vkCreateShaderModule(device_, &moduleInfo, allocator_, &info.stage.module));
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        table_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, allocator_, &pipeline);
    table_.vkDestroyShaderModule(device_, info.stage.module, allocator_);
    table_.vkDestroyPipeline(device_, pipeline, allocator_);
    return result;
}

OtherInstance::OtherInstance() {
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.apiVersion = VK_API_VERSION_1_4;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;
    COOPVK_CHECK(vkCreateInstance(&info, nullptr, &instance_));
    volkLoadInstanceTable(&table_, instance_);
    uint32_t count = 1;
    const VkResult result = table_.vkEnumeratePhysicalDevices(instance_, &count, &physical_);
    if (result != VK_INCOMPLETE) COOPVK_CHECK(result);
}

OtherInstance::~OtherInstance() { table_.vkDestroyInstance(instance_, nullptr); }

}  // namespace coopvk::test
