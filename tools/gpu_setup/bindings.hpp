// SPDX-License-Identifier: Apache-2.0
//
// Layouts and descriptor sets of compute shaders with storage buffers.
#pragma once

#include <volk.h>

#include <cstdint>

namespace coopvk::vulkan {

// Layouts of compute shaders that have only storage buffers, in set 0 with the bindings 0, 1, ...,
// and push constants. The device must outlive it.
class Layout {
 public:
    Layout(VkDevice device, const VolkDeviceTable& vk, uint32_t bindings,
           uint32_t pushConstantBytes);
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    ~Layout();

    const uint32_t bindings;
    const uint32_t pushConstantBytes;
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

    void bind(uint32_t binding, const VkDescriptorBufferInfo& buffer) const;

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
