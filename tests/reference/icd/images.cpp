// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include <cstdlib>

namespace coopvk::reference::test {

void Accepting::SetUp() {
    setenv("COOPVK_REFERENCE_GRAPHICS", "accept", 1);
    instanceExtensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    deviceExtensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                        VK_KHR_MAINTENANCE_8_EXTENSION_NAME,
                        VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME};
    maintenance8_.pNext = moreFeatures;
    derivatives_.pNext = &maintenance8_;
    moreFeatures = &derivatives_;
    deviceExtensions.insert(deviceExtensions.end(), more.begin(), more.end());
    Vulkan::SetUp();
}

void Accepting::TearDown() {
    Vulkan::TearDown();
    unsetenv("COOPVK_REFERENCE_GRAPHICS");
}

Picture::Picture(VkDevice device, VkFormat format, VkExtent2D size, VkImageAspectFlags aspect,
                 uint32_t levels)
    : range{aspect, 0, levels, 0, 1}, device_(device), size_(size) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {size.width, size.height, 1};
    info.mipLevels = levels;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT;
    if (format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R32_UINT)
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    EXPECT_VK(vkCreateImage(device, &info, nullptr, &image));
    VkMemoryRequirements needed;
    vkGetImageMemoryRequirements(device, image, &needed);
    VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    memory.allocationSize = needed.size;
    EXPECT_VK(vkAllocateMemory(device, &memory, nullptr, &memory_));
    EXPECT_VK(vkBindImageMemory(device, image, memory_, 0));
    VkImageViewCreateInfo viewInfo{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    viewInfo.image = image;
    viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D;
    viewInfo.format = format;
    viewInfo.subresourceRange = range;
    EXPECT_VK(vkCreateImageView(device, &viewInfo, nullptr, &view));
}

Picture::~Picture() {
    vkDestroyImageView(device_, view, nullptr);
    vkDestroyImage(device_, image, nullptr);
    vkFreeMemory(device_, memory_, nullptr);
}

void Picture::prepare(VkCommandBuffer commands, VkImageAspectFlags more) const {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = range;
    barrier.subresourceRange.aspectMask |= more;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
}

VkBufferImageCopy Picture::whole() const {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {range.aspectMask, 0, 0, 1};
    copy.imageExtent = {size_.width, size_.height, 1};
    return copy;
}

void Picture::clear(VkCommandBuffer commands, const VkClearColorValue& color) const {
    vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
    fullBarrier(commands);
}

void Picture::copyFrom(VkCommandBuffer commands, VkBuffer buffer) const {
    const VkBufferImageCopy copy = whole();
    vkCmdCopyBufferToImage(commands, buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
}

void Picture::copyTo(VkCommandBuffer commands, VkBuffer buffer) const {
    const VkBufferImageCopy copy = whole();
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &copy);
}

}  // namespace coopvk::reference::test
