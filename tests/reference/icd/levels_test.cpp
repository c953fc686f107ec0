// SPDX-License-Identifier: Apache-2.0
//
// Levels of detail of images, and their borders.
#include "images.hpp"
#include "implicit_levels.spv.h"
#include "levels.spv.h"

namespace coopvk::reference::test::levels_test {
namespace {

using Values = std::vector<uint32_t>;

float floatOf(uint32_t bits) {
    float number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
}

class Levels : public Accepting {
 protected:
    VkSamplerReductionMode reduction = VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
    VkBorderColor border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkSampler samplerOf(VkFilter filter, VkSamplerMipmapMode mode, VkSamplerAddressMode address) {
        const VkSamplerReductionModeCreateInfo reduces{
            VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, reduction};
        VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &reduces};
        info.magFilter = info.minFilter = filter;
        info.mipmapMode = mode;
        info.addressModeU = info.addressModeV = info.addressModeW = address;
        info.borderColor = border;
        info.maxLod = VK_LOD_CLAMP_NONE;
        VkSampler sampler = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSampler(device, &info, nullptr, &sampler));
        return sampler;
    }
    // Level 0 has 0.2 in its components, level 1 has 0.8.
    void clearLevels(VkCommandBuffer commands, const Picture& picture) {
        picture.prepare(commands);
        for (const uint32_t level : {0u, 1u}) {
            const float shade = level == 0 ? 0.2f : 0.8f;
            const VkClearColorValue color{{shade, shade, shade, shade}};
            VkImageSubresourceRange range = picture.range;
            range.baseMipLevel = level;
            range.levelCount = 1;
            vkCmdClearColorImage(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
                                 &range);
        }
        fullBarrier(commands);
    }
    // What a shader makes of the image through a linear sampler and two with a border.
    std::vector<float> resultsOf(std::span<const uint32_t> shader) {
        Picture picture(device, format, {4, 4}, VK_IMAGE_ASPECT_COLOR_BIT, 2);
        Words results(device, Values(48, 0));
        const VkSampler samplers[] = {samplerOf(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                                VK_SAMPLER_ADDRESS_MODE_REPEAT),
                                      samplerOf(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER),
                                      samplerOf(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)};
        Layout layout(device, {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                               binding(1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3)});
        const VkDescriptorSet set = layout.allocate();
        const VkDescriptorImageInfo images[] = {
            picture.info(samplers[0]), picture.info(samplers[1]), picture.info(samplers[2])};
        const VkDescriptorBufferInfo buffer = results.info();
        VkWriteDescriptorSet writes[2] = {
            write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {&buffer, 1}),
            write(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {})};
        writes[1].descriptorCount = 3;
        writes[1].pImageInfo = images;
        vkUpdateDescriptorSets(device, 2, writes, 0, nullptr);
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            clearLevels(commands, picture);
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline(shader));
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0,
                                    1, &set, 0, nullptr);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        for (const VkSampler each : samplers) vkDestroySampler(device, each, nullptr);
        std::vector<float> numbers;
        for (uint32_t i = 0; i < 48; ++i) numbers.push_back(floatOf(results[i]));
        return numbers;
    }
};

// "Level-of-Detail Operation": between two levels their mix by the fraction; beyond the last one
// the last; of derivatives the logarithm of the larger one in texels: log2(0.5 * 4) = 1. Beside the
// image is the border. Where a linear filter is, and its weights, have subTexelPrecisionBits (8)
// behind the point: half a texel and 1/1024 beside a middle are half a texel.
TEST_F(Levels, AreMixedClampedAndFoundByDerivatives) {
    const auto results = resultsOf(kLevelsWords);
    const float expected[] = {0.75f * 0.2f + 0.25f * 0.8f, 0.8f, 0.8f, 2, 1, 0.8f};
    for (uint32_t i = 0; i < 6; ++i) EXPECT_NEAR(results[4 * i], expected[i], 1e-6) << i;
    EXPECT_EQ(results[13], 2);  // levels, behind the width of level 1
    EXPECT_NEAR(results[24], (0.2f + 1) / 2, 1e-6);
    EXPECT_NEAR(results[28], 0.2f, 1e-6);
}

// "computing a component-wise minimum or maximum [...] with non-zero weights": of two levels, and
// of texels and the border.
TEST_F(Levels, AreReduced) {
    reduction = VK_SAMPLER_REDUCTION_MODE_MIN;
    const auto least = resultsOf(kLevelsWords);
    reduction = VK_SAMPLER_REDUCTION_MODE_MAX;
    const auto most = resultsOf(kLevelsWords);
    const std::pair<uint32_t, float> leasts[] = {{0, 0.2f}, {1, 0.8f}, {2, 0.8f}, {6, 0.2f}};
    for (const auto& [i, expected] : leasts) EXPECT_NEAR(least[4 * i], expected, 1e-6) << i;
    const std::pair<uint32_t, float> mosts[] = {{0, 0.8f}, {1, 0.8f}, {2, 0.8f}, {6, 1.0f}};
    for (const auto& [i, expected] : mosts) EXPECT_NEAR(most[4 * i], expected, 1e-6) << i;
}

// "Texel Replacement": a border has those components of its color that the format has; "Conversion
// to RGBA": others are 0, alpha 1.
TEST_F(Levels, HaveBordersOfTheirChannels) {
    struct Row {
        VkFormat format;
        VkBorderColor border;
        std::vector<float> seen;
    };
    const Row rows[] = {
        {VK_FORMAT_R8_UNORM, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, {1, 0, 0, 1}},
        {VK_FORMAT_R8G8_UNORM, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, {0, 0, 0, 1}},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, {0, 0, 0, 0}},
    };
    for (const Row& row : rows) {
        format = row.format;
        border = row.border;
        const auto results = resultsOf(kLevelsWords);
        EXPECT_EQ(std::vector(results.begin() + 16, results.begin() + 20), row.seen) << row.format;
    }
}

// "For implicit derivatives image instructions, the derivatives of texel coordinates are calculated
// in the same manner as derivative operations": in a row of the quad, or a column. A step of 0.25
// is a texel of level 0, so level 0; of 0.5, level 1. "LOD Query": the level that is accessed, and
// the level of detail before clamps.
TEST_F(Levels, AreFoundByTheCoordinatesOfAQuad) {
    const auto results = resultsOf(kImplicitLevelsWords);
    const float mean = (0.2f + 0.8f) / 2;
    const float expected[] = {0.2f, 0.2f, 0.8f, 0.8f, mean, 0.8f, mean, 0.8f, 0.5f, 1, 1};
    for (uint32_t i = 0; i < 11; ++i) EXPECT_NEAR(results[4 * i], expected[i], 1e-6) << i;
    const float levels[] = {0.5f, 0.75f, 3};
    for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(results[4 * (8 + i) + 1], levels[i], 1e-6) << i;
}

}  // namespace
}  // namespace coopvk::reference::test::levels_test
