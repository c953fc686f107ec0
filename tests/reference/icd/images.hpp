// SPDX-License-Identifier: Apache-2.0
//
// The device with COOPVK_REFERENCE_GRAPHICS=accept, and images for its tests.
#pragma once

#include "programs.hpp"

namespace coopvk::reference::test {

// The setting is read when the instance is made.
class Accepting : public Vulkan {
 protected:
    std::vector<const char*> more;  // extensions of the device
    void SetUp() override;
    void TearDown() override;

 private:
    VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR};
    VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR};
};

// A flat image with memory of its own, and a view of it.
class Picture {
 public:
    Picture(VkDevice device, VkFormat format, VkExtent2D size,
            VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT, uint32_t levels = 1);
    ~Picture();
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;

    VkDescriptorImageInfo info(VkSampler sampler = VK_NULL_HANDLE) const {
        return {sampler, view, VK_IMAGE_LAYOUT_GENERAL};
    }
    // From nothing to GENERAL, after everything and before everything. `more`: aspects that the
    // view lacks.
    void prepare(VkCommandBuffer commands, VkImageAspectFlags more = 0) const;
    // All of it, ahead of everything.
    void clear(VkCommandBuffer commands, const VkClearColorValue& color = {}) const;
    // The whole first level, from and to the start of a buffer.
    void copyFrom(VkCommandBuffer commands, VkBuffer buffer) const;
    void copyTo(VkCommandBuffer commands, VkBuffer buffer) const;

    VkImage image = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    const VkImageSubresourceRange range;

 private:
    VkBufferImageCopy whole() const;

    const VkDevice device_;
    const VkExtent2D size_;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

}  // namespace coopvk::reference::test
