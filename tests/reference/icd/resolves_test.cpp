// SPDX-License-Identifier: Apache-2.0
//
// Images with several samples that become images with one, and scales of depth and stencil. No
// command that the device executes gives the samples of a texel different values, so the test
// writes them to the image's memory, where they are side by side.
#include <algorithm>

#include "images.hpp"

namespace coopvk::reference::test::resolves_test {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint32_t kSamples = 4;

class Resolves : public Accepting {
 protected:
    // The first bytes of an image of 2 x 1 texels, with each of four samples these, resolved to one
    // of 3 x 1 from its second texel on.
    Bytes resolved(VkFormat format, const Bytes& samples) {
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = format;
        info.extent = {2, 1, 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_4_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
        VkImage image = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateImage(device, &info, nullptr, &image));
        VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocation.allocationSize = 4096;
        allocation.memoryTypeIndex = 1;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        EXPECT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
        EXPECT_VK(vkBindImageMemory(device, image, memory, 0));
        void* map = nullptr;
        EXPECT_VK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &map));
        std::ranges::copy(samples, static_cast<uint8_t*>(map));
        vkUnmapMemory(device, memory);
        Picture target(device, format, {3, 1});
        Words texels(device, {7, 7, 7});
        EXPECT_VK(run([&](VkCommandBuffer commands) { resolve(commands, image, target, texels); }));
        vkDestroyImage(device, image, nullptr);
        vkFreeMemory(device, memory, nullptr);
        Bytes bytes(12);
        const auto words = texels.values();
        std::memcpy(bytes.data(), words.data(), bytes.size());
        return bytes;
    }

 private:
    static void resolve(VkCommandBuffer commands, VkImage image, const Picture& target,
                        const Words& texels) {
        target.prepare(commands);
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
        barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
        barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                             &barrier);
        target.clear(commands);
        VkImageResolve part{};
        part.srcSubresource = part.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        part.dstOffset = {1, 0, 0};
        part.extent = {2, 1, 1};
        vkCmdResolveImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, target.image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &part);
        fullBarrier(commands);
        target.copyTo(commands, texels.buffer);
    }
};

// Four bytes of a texel, sample by sample, of two texels.
Bytes samplesOf(const std::array<uint8_t, kSamples>& first,
                const std::array<uint8_t, kSamples>& second) {
    Bytes bytes;
    for (const auto& texel : {first, second})
        for (const uint8_t sample : texel)
            for (uint8_t c = 0; c < 4; ++c) bytes.push_back(uint8_t(sample + c));
    return bytes;
}

// "Resolving Multisample Images": "if the source format is a floating-point or fixed-point type,
// the sample values for each pixel are resolved in an implementation-dependent manner": here their
// mean.
TEST_F(Resolves, NumbersAreTheMean) {
    EXPECT_EQ(resolved(VK_FORMAT_R8G8B8A8_UNORM, samplesOf({0, 100, 200, 100}, {8, 8, 8, 12})),
              (Bytes{0, 0, 0, 0, 100, 101, 102, 103, 9, 10, 11, 12}));
}

// "if the source format is an integer format, a single sample's value is selected for each pixel".
TEST_F(Resolves, IntegersAreOneOfTheSamples) {
    EXPECT_EQ(resolved(VK_FORMAT_R8G8B8A8_UINT, samplesOf({3, 100, 200, 100}, {8, 9, 11, 12})),
              (Bytes{0, 0, 0, 0, 3, 4, 5, 6, 8, 9, 10, 11}));
}

// "Image Copies With Scaling", of depth with the nearest texels: its bits stay, and those of
// stencil.
TEST_F(Resolves, DepthAndStencilAreScaledApart) {
    constexpr VkFormat kFormat = VK_FORMAT_D16_UNORM_S8_UINT;
    constexpr VkImageAspectFlags kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                                 kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;
    Picture source(device, kFormat, {2, 1}, kDepth), target(device, kFormat, {4, 1}, kDepth);
    Words depth(device, {0x5678u << 16 | 0x1234}), stencil(device, {0x0908});
    Words depths(device, {7, 7}), stencils(device, {7});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        source.prepare(commands, kStencil);
        target.prepare(commands, kStencil);
        const VkClearDepthStencilValue none{1, 5};
        const VkImageSubresourceRange all{kDepth | kStencil, 0, 1, 0, 1};
        vkCmdClearDepthStencilImage(commands, target.image, VK_IMAGE_LAYOUT_GENERAL, &none, 1,
                                    &all);
        source.copyFrom(commands, depth.buffer);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {kStencil, 0, 0, 1};
        copy.imageExtent = {2, 1, 1};
        vkCmdCopyBufferToImage(commands, stencil.buffer, source.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                               &copy);
        fullBarrier(commands);
        VkImageBlit blit{};  // from right to left
        blit.srcSubresource = blit.dstSubresource = {kDepth, 0, 0, 1};
        blit.srcOffsets[1] = {2, 1, 1};
        blit.dstOffsets[0] = {4, 0, 0};
        blit.dstOffsets[1] = {0, 1, 1};
        vkCmdBlitImage(commands, source.image, VK_IMAGE_LAYOUT_GENERAL, target.image,
                       VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
        fullBarrier(commands);
        target.copyTo(commands, depths.buffer);
        copy.imageExtent = {4, 1, 1};
        vkCmdCopyImageToBuffer(commands, target.image, VK_IMAGE_LAYOUT_GENERAL, stencils.buffer, 1,
                               &copy);
    }));
    EXPECT_EQ(depths.values(), (std::vector<uint32_t>{0x56785678, 0x12341234}));
    EXPECT_EQ(stencils.values(), (std::vector<uint32_t>{0x05050505}));
}

}  // namespace
}  // namespace coopvk::reference::test::resolves_test
