// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include "gpu_setup.hpp"

namespace coopvk::vulkan {

namespace {

std::vector<VkDescriptorSetLayoutBinding> storageBuffers(uint32_t count) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < count; ++i)
        bindings.push_back(
            {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    return bindings;
}

}  // namespace

Layout::Layout(VkDevice device, const VolkDeviceTable& vk, uint32_t buffers,
               uint32_t pushConstantBytes)
    : Layout(device, vk, storageBuffers(buffers), pushConstantBytes) {}

Layout::Layout(VkDevice device, const VolkDeviceTable& vk, LayoutBindings bindings,
               uint32_t pushConstantBytes)
    : device_(device), vk_(vk) {
    for (const auto& one : bindings) sizes.push_back({one.descriptorType, one.descriptorCount});
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = static_cast<uint32_t>(bindings.size());
    setInfo.pBindings = bindings.data();
    COOPVK_CHECK(vk.vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &set));
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    COOPVK_CHECK(vk.vkCreatePipelineLayout(device, &info, nullptr, &pipeline));
}

Layout::~Layout() {
    vk_.vkDestroyPipelineLayout(device_, pipeline, nullptr);
    vk_.vkDestroyDescriptorSetLayout(device_, set, nullptr);
}

Bindings::Bindings(VkDevice device, const VolkDeviceTable& vk, const Layout& layout)
    : device_(device), vk_(vk) {
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = static_cast<uint32_t>(layout.sizes.size());
    poolInfo.pPoolSizes = layout.sizes.data();
    COOPVK_CHECK(vk.vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool_));
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pool_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout.set;
    COOPVK_CHECK(vk.vkAllocateDescriptorSets(device, &info, &set));
}

Bindings::~Bindings() { vk_.vkDestroyDescriptorPool(device_, pool_, nullptr); }

void Bindings::bind(uint32_t binding, const VkDescriptorBufferInfo& buffer, uint32_t element,
                    VkDescriptorType type) const {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = binding;
    write.dstArrayElement = element;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pBufferInfo = &buffer;
    vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
}

VkShaderModule createShaderModule(VkDevice device, const VolkDeviceTable& vk, const uint32_t* words,
                                  size_t count) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = count * sizeof(uint32_t);
    info.pCode = words;
    VkShaderModule module = VK_NULL_HANDLE;
    COOPVK_CHECK(vk.vkCreateShaderModule(device, &info, nullptr, &module));
    return module;
}

}  // namespace coopvk::vulkan
