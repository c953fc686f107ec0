// SPDX-License-Identifier: Apache-2.0
//
// Layouts, pipelines and descriptor sets for the shaders of these tests.
#pragma once

#include "vulkan.hpp"

namespace coopvk::reference::test {

// One layout with one set and 16 bytes of push constants.
class Layout {
 public:
    Layout(VkDevice device, std::vector<VkDescriptorSetLayoutBinding> bindings,
           VkDescriptorSetLayoutCreateFlags flags = 0, const void* next = nullptr);
    ~Layout();
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    // A set, which lives as long as the layout.
    VkDescriptorSet allocate();
    VkPipeline pipeline(std::span<const uint32_t> words,
                        const VkSpecializationInfo* specialization = nullptr,
                        uint32_t subgroupSize = 0);

    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipelines = VK_NULL_HANDLE;

 private:
    VkDevice device_;
    bool isInMemory_;  // its descriptors
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::vector<VkPipeline> made_;
};

VkDescriptorSetLayoutBinding binding(uint32_t number, VkDescriptorType type, uint32_t count = 1);
VkWriteDescriptorSet write(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                           std::span<const VkDescriptorBufferInfo> infos, uint32_t element = 0);

}  // namespace coopvk::reference::test
