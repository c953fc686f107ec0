// SPDX-License-Identifier: Apache-2.0
//
// Images whose planes have luma and chroma, and samplers that convert them.
#include "planes.hpp"

#include <algorithm>
#include <cmath>

namespace coopvk::reference::test::planes_test {
namespace {

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
