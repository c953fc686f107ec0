// SPDX-License-Identifier: Apache-2.0
//
// Images whose planes have luma and chroma, and samplers that convert them.
#include <algorithm>
#include <cmath>

#include "images.hpp"
#include "planes.spv.h"

namespace coopvk::reference::test::planes_test {
namespace {

using Values = std::vector<uint32_t>;
using Bytes = std::vector<uint8_t>;
constexpr VkFormat kThree = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
constexpr VkFormat kTwo = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
constexpr VkChromaLocation kEven = VK_CHROMA_LOCATION_COSITED_EVEN;
constexpr VkChromaLocation kMiddle = VK_CHROMA_LOCATION_MIDPOINT;

Values wordsOf(const Bytes& bytes) {
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
const Colors kColors = {{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 255},
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
        VkSampler sampler = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSampler(device, &samplerInfo, nullptr, &sampler));
        VkImageViewCreateInfo viewInfo{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &converts};
        viewInfo.image = image;
        viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D;
        viewInfo.format = conversion.format;
        viewInfo.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VkImageView view = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateImageView(device, &viewInfo, nullptr, &view));
        std::vector<float> results = dispatched(colors, image, view, sampler);
        vkDestroyImageView(device, view, nullptr);
        vkDestroySampler(device, sampler, nullptr);
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

// "Chroma Reconstruction", of an axis: which texels of chroma one of luma has, and their shares.
// The texels that a midpoint lies between have 3/4 and 1/4.
struct Tap {
    int texel;
    double share;
};
std::array<Tap, 2> tapsAt(int i, VkChromaLocation location, VkFilter filter) {
    const int half = i / 2;
    if (filter == VK_FILTER_NEAREST) return {{{half, 1}, {half, 0}}};
    if (location == kEven)
        return {{{half, i % 2 == 0 ? 1 : 0.5}, {half + 1, i % 2 == 0 ? 0 : 0.5}}};
    return {{{half, 0.75}, {i % 2 == 0 ? half - 1 : half + 1, 0.25}}};
}
double chromaAt(const Bytes& chroma, int x, int y, const VkSamplerYcbcrConversionCreateInfo& info) {
    double sum = 0;
    for (const Tap& v : tapsAt(y, info.yChromaOffset, info.chromaFilter))
        for (const Tap& u : tapsAt(x, info.xChromaOffset, info.chromaFilter)) {
            const int column = std::clamp(u.texel, 0, 1), row = std::clamp(v.texel, 0, 1);
            sum += u.share * v.share * chroma[size_t(row * 2 + column)] / 255;
        }
    return sum;
}

TEST_F(Planes, ChromaIsReconstructed) {
    const std::array<VkChromaLocation, 2> kPlaces[] = {
        {kMiddle, kMiddle}, {kEven, kEven}, {kEven, kMiddle}, {kMiddle, kEven}};
    for (const VkFormat format : {kThree, kTwo})
        for (const auto& [x, y] : kPlaces) {
            conversion.format = format;
            conversion.xChromaOffset = x;
            conversion.yChromaOffset = y;
            conversion.chromaFilter = VK_FILTER_LINEAR;
            expectTexels(sampled(kColors), [&](int column, int row) -> std::array<double, 4> {
                return {chromaAt(kColors.red, column, row, conversion),
                        kColors.luma[size_t(row * 4 + column)] / 255.0,
                        chromaAt(kColors.blue, column, row, conversion), 1};
            });
        }
}

// The filter of chroma is its own. "components": red and blue change places.
TEST_F(Planes, ChromaOfTheNearestTexelSwapped) {
    lumaFilter = VK_FILTER_LINEAR;
    conversion.chromaFilter = VK_FILTER_NEAREST;
    conversion.components.r = VK_COMPONENT_SWIZZLE_B;
    conversion.components.b = VK_COMPONENT_SWIZZLE_R;
    expectTexels(sampled(kColors), [&](int column, int row) -> std::array<double, 4> {
        return {chromaAt(kColors.blue, column, row, conversion),
                kColors.luma[size_t(row * 4 + column)] / 255.0,
                chromaAt(kColors.red, column, row, conversion), 1};
    });
}

// "Sampler Y'CBCR Model Conversion": what luma, and the differences of blue and red, are multiplied
// with.
struct ModelRow {
    VkSamplerYcbcrModelConversion model;
    double redOfRed, greenOfBlue, greenOfRed, blueOfBlue;
};
constexpr ModelRow kModels[] = {
    {VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709, 1.5748, 0.13397432 / 0.7152, 0.33480248 / 0.7152,
     1.8556},
    {VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601, 1.402, 0.202008 / 0.587, 0.419198 / 0.587, 1.772},
    {VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020, 1.4746, 0.11156702 / 0.6780, 0.38737742 / 0.6780,
     1.8814},
};

// "Sampler Y'CBCR Range Expansion", of 8 bits.
double lumaOf(uint8_t byte, bool isNarrow) { return isNarrow ? (byte - 16) / 219.0 : byte / 255.0; }
double differenceOf(uint8_t byte, bool isNarrow) {
    return isNarrow ? (byte - 128) / 224.0 : (byte - 128) / 255.0;
}

TEST_F(Planes, ColorsAreConverted) {
    for (const bool isNarrow : {false, true})
        for (const ModelRow& row : kModels) {
            conversion.ycbcrModel = row.model;
            conversion.ycbcrRange =
                isNarrow ? VK_SAMPLER_YCBCR_RANGE_ITU_NARROW : VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
            expectTexels(sampled(kColors), [&](int x, int y) -> std::array<double, 4> {
                const auto part = size_t(y / 2 * 2 + x / 2);
                const double luma = lumaOf(kColors.luma[size_t(y * 4 + x)], isNarrow);
                const double blue = differenceOf(kColors.blue[part], isNarrow);
                const double red = differenceOf(kColors.red[part], isNarrow);
                return {luma + row.redOfRed * red,
                        luma - row.greenOfBlue * blue - row.greenOfRed * red,
                        luma + row.blueOfBlue * blue, 1};
            });
        }
}

// YCBCR_IDENTITY: the range alone. RGB_IDENTITY: no range either.
TEST_F(Planes, RangesAloneAndNone) {
    conversion.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
    for (const bool isExpanded : {true, false}) {
        conversion.ycbcrModel = isExpanded ? VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY
                                           : VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY;
        expectTexels(sampled(kColors), [&](int x, int y) -> std::array<double, 4> {
            const auto part = size_t(y / 2 * 2 + x / 2);
            const uint8_t luma = kColors.luma[size_t(y * 4 + x)];
            if (!isExpanded)
                return {kColors.red[part] / 255.0, luma / 255.0, kColors.blue[part] / 255.0, 1};
            return {differenceOf(kColors.red[part], true), lumaOf(luma, true),
                    differenceOf(kColors.blue[part], true), 1};
        });
    }
}

// Planes of chroma have half the size, and bytes of their own.
TEST_F(Planes, AreCopied) {
    for (const VkFormat format : {kThree, kTwo}) {
        conversion.format = format;
        VkDeviceMemory memories[2] = {};
        const VkImage images[] = {imageOf(format, memories[0]), imageOf(format, memories[1])};
        const Values planes = wordsOf(kColors.inPlanes(format));
        Words source(device, planes), zeros(device, Values(6, 0)), target(device, Values(6, 7));
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            upload(commands, source.buffer, images[0]);
            upload(commands, zeros.buffer, images[1]);
            VkImageCopy copy{};  // a texel of the second plane to the last one there
            copy.srcSubresource = copy.dstSubresource = {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, 1};
            copy.dstOffset = {1, 1, 0};
            copy.extent = {1, 1, 1};
            vkCmdCopyImage(commands, images[0], VK_IMAGE_LAYOUT_GENERAL, images[1],
                           VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
            fullBarrier(commands);
            const auto copies = copiesOf(format);
            vkCmdCopyImageToBuffer(commands, images[0], VK_IMAGE_LAYOUT_GENERAL, target.buffer,
                                   uint32_t(copies.size()), copies.data());
            vkCmdCopyImageToBuffer(commands, images[1], VK_IMAGE_LAYOUT_GENERAL, zeros.buffer,
                                   uint32_t(copies.size()), copies.data());
        }));
        EXPECT_EQ(target.values(), planes);
        const uint32_t blue = kColors.blue[0], red = kColors.red[0];
        EXPECT_EQ(zeros.values(), format == kTwo ? (Values{0, 0, 0, 0, 0, blue << 16 | red << 24})
                                                 : (Values{0, 0, 0, 0, blue << 24, 0}));
        for (size_t i = 0; i < 2; ++i) {
            vkDestroyImage(device, images[i], nullptr);
            vkFreeMemory(device, memories[i], nullptr);
        }
    }
}

// "Required Format Support": both formats, if the device has samplerYcbcrConversion.
TEST_F(Planes, AreListed) {
    constexpr VkFormatFeatureFlags kNeeded =
        VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT |
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT |
        VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT;
    for (const VkFormat format : {kThree, kTwo}) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(physical, format, &properties);
        EXPECT_EQ(properties.optimalTilingFeatures & kNeeded, kNeeded);
        EXPECT_EQ(properties.linearTilingFeatures & kNeeded, kNeeded);
        EXPECT_EQ(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, 0u);
        EXPECT_EQ(properties.bufferFeatures, 0u);
        VkSamplerYcbcrConversionImageFormatProperties count{
            VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES};
        VkImageFormatProperties2 limits{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &count};
        VkPhysicalDeviceImageFormatInfo2 info{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
        info.format = format;
        info.type = VK_IMAGE_TYPE_2D;
        info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
        EXPECT_VK(vkGetPhysicalDeviceImageFormatProperties2(physical, &info, &limits));
        EXPECT_EQ(count.combinedImageSamplerDescriptorCount, 1u);
        EXPECT_EQ(limits.imageFormatProperties.maxMipLevels, 1u);
        EXPECT_EQ(limits.imageFormatProperties.sampleCounts, VkSampleCountFlags{1});
        info.type = VK_IMAGE_TYPE_3D;
        EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties2(physical, &info, &limits),
                  VK_ERROR_FORMAT_NOT_SUPPORTED);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::planes_test
