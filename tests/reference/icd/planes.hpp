// SPDX-License-Identifier: Apache-2.0
//
// An image of 4 x 4 texels whose planes have luma and chroma, and samples of it in their middles.
#pragma once

#include "images.hpp"
#include "planes.spv.h"

namespace coopvk::reference::test {

using Values = std::vector<uint32_t>;
using Bytes = std::vector<uint8_t>;
inline constexpr VkFormat kThree = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
inline constexpr VkFormat kTwo = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
inline constexpr VkChromaLocation kEven = VK_CHROMA_LOCATION_COSITED_EVEN;
inline constexpr VkChromaLocation kMiddle = VK_CHROMA_LOCATION_MIDPOINT;

inline Values wordsOf(const Bytes& bytes) {
    Values words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

// What 4 x 4 texels have: luma, and blue and red of chroma for each 2 x 2.
struct Colors {
    Bytes luma, blue, red;
    Bytes inPlanes(VkFormat format) const {
        Bytes all = luma;
        for (size_t i = 0; format == kTwo && i < blue.size(); ++i)
            all.insert(all.end(), {blue[i], red[i]});
        if (format == kTwo) return all;
        all.insert(all.end(), blue.begin(), blue.end());
        all.insert(all.end(), red.begin(), red.end());
        return all;
    }
};
inline const Colors kColors = {
    {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 255},
    {8, 200, 40, 120},
    {250, 3, 77, 128}};

class Planes : public Accepting {
 protected:
    VkSamplerYcbcrConversionCreateInfo conversion{
        VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
    VkFilter lumaFilter = VK_FILTER_NEAREST;

    void SetUp() override {
        Accepting::SetUp();
        conversion.format = kThree;
        conversion.xChromaOffset = conversion.yChromaOffset = kMiddle;
    }

    VkImage imageOf(VkFormat format, VkDeviceMemory& memory) {
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = format;
        info.extent = {4, 4, 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                     VK_IMAGE_USAGE_SAMPLED_BIT;
        VkImage image = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateImage(device, &info, nullptr, &image));
        VkMemoryRequirements needed;
        vkGetImageMemoryRequirements(device, image, &needed);
        VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocation.allocationSize = needed.size;
        EXPECT_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
        EXPECT_VK(vkBindImageMemory(device, image, memory, 0));
        return image;
    }

    // Between an image and a buffer that has its planes one behind the other.
    static std::vector<VkBufferImageCopy> copiesOf(VkFormat format) {
        const VkImageAspectFlagBits aspects[] = {
            VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT};
        const VkDeviceSize offsets[] = {0, 16, 20};
        std::vector<VkBufferImageCopy> copies(format == kTwo ? 2 : 3);
        for (size_t i = 0; i < copies.size(); ++i) {
            const uint32_t size = i == 0 ? 4 : 2;
            copies[i].bufferOffset = offsets[i];
            copies[i].imageSubresource = {VkImageAspectFlags(aspects[i]), 0, 0, 1};
            copies[i].imageExtent = {size, size, 1};
        }
        return copies;
    }
    void upload(VkCommandBuffer commands, VkBuffer from, VkImage image) const {
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                             &barrier);
        const auto copies = copiesOf(conversion.format);
        vkCmdCopyBufferToImage(commands, from, image, VK_IMAGE_LAYOUT_GENERAL,
                               uint32_t(copies.size()), copies.data());
        fullBarrier(commands);
    }

    // As a set has them; another fixture may have them otherwise.
    virtual std::vector<float> dispatched(const Colors& colors, VkImage image,
                                          const VkImageViewCreateInfo& viewInfo,
                                          const VkSamplerCreateInfo& samplerInfo) {
        VkSampler sampler = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSampler(device, &samplerInfo, nullptr, &sampler));
        VkImageView view = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateImageView(device, &viewInfo, nullptr, &view));
        std::vector<float> results = dispatched(colors, image, view, sampler);
        vkDestroyImageView(device, view, nullptr);
        vkDestroySampler(device, sampler, nullptr);
        return results;
    }

    // What the middles of all texels give, in four components.
    std::vector<float> sampled(const Colors& colors) {
        VkDeviceMemory memory = VK_NULL_HANDLE;
        const VkImage image = imageOf(conversion.format, memory);
        VkSamplerYcbcrConversionInfo converts{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
        EXPECT_VK(
            vkCreateSamplerYcbcrConversion(device, &conversion, nullptr, &converts.conversion));
        VkSamplerCreateInfo samplerInfo{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &converts};
        samplerInfo.magFilter = samplerInfo.minFilter = lumaFilter;
        samplerInfo.addressModeU = samplerInfo.addressModeV = samplerInfo.addressModeW =
            VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        VkImageViewCreateInfo viewInfo{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &converts};
        viewInfo.image = image;
        viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D;
        viewInfo.format = conversion.format;
        viewInfo.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        std::vector<float> results = dispatched(colors, image, viewInfo, samplerInfo);
        vkDestroySamplerYcbcrConversion(device, converts.conversion, nullptr);
        vkDestroyImage(device, image, nullptr);
        vkFreeMemory(device, memory, nullptr);
        return results;
    }

    std::vector<float> dispatched(const Colors& colors, VkImage image, VkImageView view,
                                  VkSampler sampler) {
        VkDescriptorSetLayoutBinding sampledImage =
            binding(1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
        sampledImage.pImmutableSamplers = &sampler;
        Layout layout(device, {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), sampledImage});
        const VkDescriptorSet set = layout.allocate();
        Words planes(device, wordsOf(colors.inPlanes(conversion.format)));
        Words results(device, Values(64, 0x7FC0FFEE));
        const VkDescriptorBufferInfo buffer = results.info();
        const VkDescriptorImageInfo info{VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL};
        VkWriteDescriptorSet writes[] = {
            write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {&buffer, 1}),
            write(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {})};
        writes[1].descriptorCount = 1;
        writes[1].pImageInfo = &info;
        vkUpdateDescriptorSets(device, 2, writes, 0, nullptr);
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            upload(commands, planes.buffer, image);
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              layout.pipeline(kPlanesWords));
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0,
                                    1, &set, 0, nullptr);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        return numbersOf(results);
    }
    static std::vector<float> numbersOf(const Words& results) {
        std::vector<float> numbers(64);
        const Values words = results.values();
        std::memcpy(numbers.data(), words.data(), 4 * numbers.size());
        return numbers;
    }

    void expectTexels(const std::vector<float>& results,
                      const std::function<std::array<double, 4>(int x, int y)>& expected) {
        for (int i = 0; i < 16; ++i)
            for (size_t c = 0; c < 4; ++c)
                EXPECT_NEAR(results[size_t(i) * 4 + c], expected(i % 4, i / 4)[c], 2e-6)
                    << i << " " << c;
    }
};

}  // namespace coopvk::reference::test
