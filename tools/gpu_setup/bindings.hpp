// SPDX-License-Identifier: Apache-2.0
//
// Layouts and descriptor sets of compute shaders.
#pragma once

#include <volk.h>

#include <cstdint>
#include <span>
#include <vector>

namespace coopvk::vulkan {

using LayoutBindings = std::span<const VkDescriptorSetLayoutBinding>;

// Layouts of compute shaders with one set of descriptors, and push constants. The device must
// outlive it.
class Layout {
 public:
    Layout(VkDevice device, const VolkDeviceTable& vk, LayoutBindings bindings,
           uint32_t pushConstantBytes);
    // Storage buffers with the bindings 0, 1, ...
    Layout(VkDevice device, const VolkDeviceTable& vk, uint32_t buffers,
           uint32_t pushConstantBytes);
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    ~Layout();

    std::vector<VkDescriptorPoolSize> sizes;  // of one set
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;

 private:
    VkDevice device_;
    const VolkDeviceTable& vk_;
};

// A descriptor set of a layout, in a pool of its own.
class Bindings {
 public:
    Bindings(VkDevice device, const VolkDeviceTable& vk, const Layout& layout);
    Bindings(const Bindings&) = delete;
    Bindings& operator=(const Bindings&) = delete;
    ~Bindings();

    void bind(uint32_t binding, const VkDescriptorBufferInfo& buffer, uint32_t element = 0,
              VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) const;

    VkDescriptorSet set = VK_NULL_HANDLE;

 private:
    VkDevice device_;
    const VolkDeviceTable& vk_;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

// Throws where the driver refuses the words.
VkShaderModule createShaderModule(VkDevice device, const VolkDeviceTable& vk, const uint32_t* words,
                                  size_t count);

}  // namespace coopvk::vulkan
