// SPDX-License-Identifier: Apache-2.0
//
// Copies of layers to slices.
#include "images.hpp"

namespace coopvk::reference::test::slices_test {
namespace {

class Slices : public Accepting {
 protected:
    VkImage imageOf(VkImageType type, uint32_t depth, uint32_t layers, VkDeviceMemory& memory) {
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = type;
        info.format = VK_FORMAT_R32_UINT;
        info.extent = {1, 1, depth};
        info.mipLevels = 1;
        info.arrayLayers = layers;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        VkImage image = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateImage(device, &info, nullptr, &image));
        VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocation.allocationSize = 4096;
        EXPECT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
        EXPECT_VK(vkBindImageMemory(device, image, memory, 0));
        return image;
    }
    static void prepare(VkCommandBuffer commands, VkImage image, uint32_t layers) {
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                             &barrier);
    }
};

// VUID-vkCmdCopyImage-srcImage-01792: the depth of the extent is then the number of layers.
TEST_F(Slices, AreWhatLayersWere) {
    VkDeviceMemory memories[2] = {};
    const VkImage flat = imageOf(VK_IMAGE_TYPE_2D, 1, 3, memories[0]);
    const VkImage deep = imageOf(VK_IMAGE_TYPE_3D, 3, 1, memories[1]);
    Words source(device, {11, 22, 33}), target(device, {7, 7, 7});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        prepare(commands, flat, 3);
        prepare(commands, deep, 1);
        VkBufferImageCopy whole{};
        whole.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3};
        whole.imageExtent = {1, 1, 1};
        vkCmdCopyBufferToImage(commands, source.buffer, flat, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
        fullBarrier(commands);
        VkImageCopy copy{};
        copy.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3};
        copy.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.extent = {1, 1, 3};
        vkCmdCopyImage(commands, flat, VK_IMAGE_LAYOUT_GENERAL, deep, VK_IMAGE_LAYOUT_GENERAL, 1,
                       &copy);
        fullBarrier(commands);
        whole.imageSubresource.layerCount = 1;
        whole.imageExtent.depth = 3;
        vkCmdCopyImageToBuffer(commands, deep, VK_IMAGE_LAYOUT_GENERAL, target.buffer, 1, &whole);
    }));
    EXPECT_EQ(target.values(), source.values());
    for (const VkImage each : {flat, deep}) vkDestroyImage(device, each, nullptr);
    for (const VkDeviceMemory each : memories) vkFreeMemory(device, each, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::slices_test
