// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

namespace coopvk::reference::test {

Layout::Layout(VkDevice device, std::vector<VkDescriptorSetLayoutBinding> bindings,
               VkDescriptorSetLayoutCreateFlags flags, const void* next)
    : device_(device),
      isInMemory_((flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT) != 0) {
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.pNext = next;
    setInfo.flags = flags;
    setInfo.bindingCount = static_cast<uint32_t>(bindings.size());
    setInfo.pBindings = bindings.data();
    EXPECT_VK(vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &set));
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    EXPECT_VK(vkCreatePipelineLayout(device, &info, nullptr, &pipelines));
    std::vector<VkDescriptorPoolSize> sizes;
    for (const VkDescriptorSetLayoutBinding& each : bindings)
        sizes.push_back({each.descriptorType, 4 * each.descriptorCount});
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    const VkDescriptorPoolInlineUniformBlockCreateInfo blocks{
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, next, 4};
    pool.pNext = &blocks;
    pool.maxSets = 4;
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    EXPECT_VK(vkCreateDescriptorPool(device, &pool, nullptr, &pool_));
}

Layout::~Layout() {
    for (const VkPipeline each : made_) vkDestroyPipeline(device_, each, nullptr);
    vkDestroyDescriptorPool(device_, pool_, nullptr);
    vkDestroyPipelineLayout(device_, pipelines, nullptr);
    vkDestroyDescriptorSetLayout(device_, set, nullptr);
}

VkDescriptorSet Layout::allocate() {
    const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr,
                                           pool_, 1, &set};
    VkDescriptorSet result = VK_NULL_HANDLE;
    EXPECT_VK(vkAllocateDescriptorSets(device_, &info, &result));
    return result;
}

VkPipeline Layout::pipeline(std::span<const uint32_t> words,
                            const VkSpecializationInfo* specialization, uint32_t subgroupSize) {
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = words.size_bytes();
    code.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateShaderModule(device_, &code, nullptr, &module));
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
        subgroupSize};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    if (isInMemory_) info.flags |= VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.layout = pipelines;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  subgroupSize == 0 ? nullptr : &required,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  specialization};
    VkPipeline result = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &result));
    vkDestroyShaderModule(device_, module, nullptr);
    made_.push_back(result);
    return result;
}

VkDescriptorSetLayoutBinding binding(uint32_t number, VkDescriptorType type, uint32_t count) {
    return {number, type, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
}

VkWriteDescriptorSet write(VkDescriptorSet set, uint32_t number, VkDescriptorType type,
                           std::span<const VkDescriptorBufferInfo> infos, uint32_t element) {
    VkWriteDescriptorSet result{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    result.dstSet = set;
    result.dstBinding = number;
    result.dstArrayElement = element;
    result.descriptorCount = static_cast<uint32_t>(infos.size());
    result.descriptorType = type;
    result.pBufferInfo = infos.data();
    return result;
}

}  // namespace coopvk::reference::test
