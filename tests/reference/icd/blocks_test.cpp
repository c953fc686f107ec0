// SPDX-License-Identifier: Apache-2.0
//
// Texels of compressed images: what blits and shaders read of blocks. Blocks and numbers are made
// by hand from the Khronos Data Format Specification.
#include <array>
#include <bit>
#include <vector>

#include "images.hpp"
#include "levels.spv.h"

namespace coopvk::reference::test::blocks_test {
namespace {

using Values = std::vector<uint32_t>;

class Blocks : public Accepting {};

struct Row {
    VkFormat format;
    Values block;
    uint32_t texel;  // y * 4 + x
    std::array<double, 4> color;
};
const Row kRows[] = {
    // Red above blue, whose numbers are 0xF800 and 0x001F: (2 * color0 + color1) / 3.
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, {0x001FF800, 0xE4}, 2, {2 / 3.0, 0, 1 / 3.0, 1}},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {0x001FF800, 0xE4}, 3, {1 / 3.0, 0, 2 / 3.0, 1}},
    // The other order: (color0 + color1) / 2, and black.
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {0xF800001F, 0xE4}, 2, {0.5, 0, 0.5, 1}},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {0xF800001F, 0xE4}, 3, {0, 0, 0, 0}},
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, {0xF800001F, 0xE4}, 3, {0, 0, 0, 1}},
    // ((16 / 31 + 0.055) / 1.055)^2.4
    {VK_FORMAT_BC1_RGB_SRGB_BLOCK, {0x00008000, 0}, 5, {0.2292748, 0, 0, 1}},
    // As though the first color were above. Alpha of 4 bits: 10 / 15.
    {VK_FORMAT_BC2_UNORM_BLOCK, {0xA00, 0, 0xF800001F, 0xE4}, 2, {1 / 3.0, 0, 2 / 3.0, 2 / 3.0}},
    // Alpha 255 and 0, code 3: (5 * alpha0 + 2 * alpha1) / 7.
    {VK_FORMAT_BC3_UNORM_BLOCK,
     {0x00C000FF, 0, 0xF800001F, 0xE4},
     2,
     {1 / 3.0, 0, 2 / 3.0, 5 / 7.0}},
    // 0 and 255, code 3: (3 * red0 + 2 * red1) / 5; code 7: 1.
    {VK_FORMAT_BC4_UNORM_BLOCK, {0x00C0FF00, 0}, 2, {0.4, 0, 0, 1}},
    {VK_FORMAT_BC4_UNORM_BLOCK, {0x01C0FF01, 0}, 2, {1, 0, 0, 1}},
    // -127 and 127, code 2: (4 * red0 + red1) / 5; code 6: -1, as -128 is.
    {VK_FORMAT_BC4_SNORM_BLOCK, {0x00807F81, 0}, 2, {-0.6, 0, 0, 1}},
    {VK_FORMAT_BC4_SNORM_BLOCK, {0x01807F81, 0}, 2, {-1, 0, 0, 1}},
    {VK_FORMAT_BC4_SNORM_BLOCK, {0x00000080, 0}, 2, {-1, 0, 0, 1}},
    {VK_FORMAT_BC5_UNORM_BLOCK, {0x00C0FF00, 0, 0x00C000FF, 0}, 2, {0.4, 5 / 7.0, 0, 1}},
    // 127 and -127, code 2: (6 * green0 + green1) / 7.
    {VK_FORMAT_BC5_SNORM_BLOCK, {0x00807F81, 0, 0x0080817F, 0}, 2, {-0.6, 5 / 7.0, 0, 1}},
    // Mode 3: red of ten bits from bit 5 on and from 35 on, indices of four from 65 on, the first
    // of
    // three. 1023 is 65535, * 31 / 64 = 0x7BFF. 512 is ((512 << 15) + 0x4000) >> 9 = 32800, * 31 /
    // 64
    // = 0x3E0F.
    {VK_FORMAT_BC6H_UFLOAT_BLOCK, {0x7FE3, 0x1000, 0, 0}, 2, {65504, 0, 0, 1}},
    {VK_FORMAT_BC6H_UFLOAT_BLOCK, {0x7FE3, 0x1000, 0xF00, 0}, 2, {1 + 527 / 1024.0, 0, 0, 1}},
    {VK_FORMAT_BC6H_SFLOAT_BLOCK, {0x4023, 0, 0, 0}, 2, {-65504, 0, 0, 1}},
    // Mode 0: two rows for each of partition 13 (from bit 77 on); red of the third endpoint is 16
    // below that of the first, 512: 31776, * 31 / 64 = 0x3C1F.
    {VK_FORMAT_BC6H_UFLOAT_BLOCK, {0x4000, 0, 0x1A020, 0}, 12, {1 + 31 / 1024.0, 0, 0, 1}},
    // Mode 6: seven bits of each channel, then one bit of each endpoint; index 4 has weight 17 of
    // 64:
    // 255 and 0 are 187, 1 and 0 are 1, 255 and 254 are 255.
    {VK_FORMAT_BC7_UNORM_BLOCK,
     {0x3FC0, 0xFFFE0000, 0x400, 0},
     2,
     {187 / 255.0, 1 / 255.0, 1 / 255.0, 1}},
    // Mode 5 with red and alpha exchanged.
    {VK_FORMAT_BC7_UNORM_BLOCK, {0x7F60, 0, 0, 0}, 2, {0, 0, 0, 1}},
    // Mode 0, partition 8: the last row has the fifth endpoint, with red of 15 and the bit: 31.
    // Green
    // has 1 of 31, 00001000 in eight bits.
    {VK_FORMAT_BC7_UNORM_BLOCK, {0x01E00011, 0, 0x20000, 0}, 12, {1, 8 / 255.0, 8 / 255.0, 1}},
};

TEST_F(Blocks, AreScaled) {
    for (const Row& row : kRows) {
        Picture from(device, row.format, {4, 4});
        Picture to(device, VK_FORMAT_R32G32B32A32_SFLOAT, {4, 4});
        Words source(device, row.block), target(device, Values(64, 7));
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            from.prepare(commands);
            to.prepare(commands);
            from.copyFrom(commands, source.buffer);
            fullBarrier(commands);
            VkImageBlit blit{};
            blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
            blit.srcOffsets[1] = blit.dstOffsets[1] = {4, 4, 1};
            vkCmdBlitImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image,
                           VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
            fullBarrier(commands);
            to.copyTo(commands, target.buffer);
        }));
        for (uint32_t c = 0; c < 4; ++c)
            EXPECT_NEAR(std::bit_cast<float>(target[4 * row.texel + c]), row.color[c], 1e-6)
                << row.format << ", channel " << c;
    }
}

// The middle of 8 x 4 texels is in the second block: texel (0, 2) there.
TEST_F(Blocks, AreSampled) {
    Picture picture(device, VK_FORMAT_BC1_RGB_UNORM_BLOCK, {8, 4});
    Words source(device, {0, 0, 0x001FF800, 0x20000}), results(device, Values(48, 7));
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler = VK_NULL_HANDLE;
    EXPECT_VK(vkCreateSampler(device, &info, nullptr, &sampler));
    Layout layout(device, {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                           binding(1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3)});
    const VkDescriptorSet set = layout.allocate();
    const std::array<VkDescriptorImageInfo, 3> images = {
        picture.info(sampler), picture.info(sampler), picture.info(sampler)};
    const VkDescriptorBufferInfo buffer = results.info();
    VkWriteDescriptorSet writes[2] = {
        write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {&buffer, 1}),
        write(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {})};
    writes[1].descriptorCount = 3;
    writes[1].pImageInfo = images.data();
    vkUpdateDescriptorSets(device, 2, writes, 0, nullptr);
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        picture.copyFrom(commands, source.buffer);
        fullBarrier(commands);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline(kLevelsWords));
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0, 1,
                                &set, 0, nullptr);
        vkCmdDispatch(commands, 1, 1, 1);
    }));
    vkDestroySampler(device, sampler, nullptr);
    const double expected[] = {2 / 3.0, 0, 1 / 3.0, 1};
    for (uint32_t c = 0; c < 4; ++c)
        EXPECT_NEAR(std::bit_cast<float>(results[4 * 5 + c]), expected[c], 1e-6);
    EXPECT_TRUE(takeMessages().empty());
}

}  // namespace
}  // namespace coopvk::reference::test::blocks_test
