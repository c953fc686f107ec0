// SPDX-License-Identifier: Apache-2.0
//
// Images, samplers and texel buffers in compute shaders, copies and clears.
#include "images.hpp"

#include <algorithm>
#include <cstring>

#include "texels.spv.h"

namespace coopvk::reference::test::images_test {
namespace {

using Values = std::vector<uint32_t>;

class Images : public Accepting {};

// Numbers whose bytes in each format Vulkan's text gives: "Fixed-Point Data Conversions",
// "16-Bit Floating-Point Numbers", "Unsigned 11-Bit Floating-Point Numbers", "RGB to Shared
// Exponent", and of 0.2 in sRGB: 255 * (1.055 * 0.2^(1 / 2.4) - 0.055) = 123.6.
struct ClearRow {
    VkFormat format;
    float color[4];
    uint32_t texel;
};
constexpr ClearRow kClears[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, {0, 0.2f, 1, 2}, 0xFFFF3300},
    {VK_FORMAT_B8G8R8A8_UNORM, {0, 0.2f, 1, 2}, 0xFF0033FF},
    {VK_FORMAT_R8G8B8A8_SRGB, {0, 0.2f, 1, 0.2f}, 0x33FF7C00},
    {VK_FORMAT_R8G8B8A8_SNORM, {-1, 1, -2, 0}, 0x00817F81},
    {VK_FORMAT_R16G16_SFLOAT, {1.5f, -2, 0, 0}, 0xC0003E00},
    {VK_FORMAT_R16G16_UNORM, {1, 0, 0, 0}, 0x0000FFFF},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, {1, 0, 1, 1}, 0xFFF003FF},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, {1, 0.5f, 2, 0}, 0x200u << 22 | 0x380u << 11 | 0x3C0},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, {-1, 0, 0, 0}, 0},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, {1, 0.5f, 0, 0}, 16u << 27 | 128u << 9 | 256},
    {VK_FORMAT_R32_SFLOAT, {-0.75f, 0, 0, 0}, 0xBF400000},
};

TEST_F(Images, ClearsToTheFormat) {
    for (const ClearRow& row : kClears) {
        Picture picture(device, row.format, {3, 2});
        Words texels(device, Values(6, 7));
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            picture.prepare(commands);
            VkClearColorValue color;
            std::copy_n(row.color, 4, color.float32);
            picture.clear(commands, color);
            picture.copyTo(commands, texels.buffer);
        }));
        EXPECT_EQ(texels.values(), Values(6, row.texel)) << row.format;
    }
}

// "Copying Data Between Buffers and Images": texel (x, y) of the region is at
// (y * bufferRowLength + x) texels behind the offset.
TEST_F(Images, CopiesParts) {
    Picture picture(device, VK_FORMAT_R32_UINT, {4, 3});
    Values numbers(20);
    for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    Words source(device, numbers), target(device, Values(12, 99));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        picture.clear(commands);
        VkBufferImageCopy copy{};
        copy.bufferOffset = 8;
        copy.bufferRowLength = 5;
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageOffset = {1, 1, 0};
        copy.imageExtent = {3, 2, 1};
        vkCmdCopyBufferToImage(commands, source.buffer, picture.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                               &copy);
        fullBarrier(commands);
        picture.copyTo(commands, target.buffer);
    }));
    EXPECT_EQ(target.values(), (Values{0, 0, 0, 0, 0, 2, 3, 4, 0, 7, 8, 9}));
}

// Whatever the number of its texels, a command tells once what it lacks.
TEST_F(Images, ScalingWithoutADependencyIsToldOnce) {
    Picture from(device, VK_FORMAT_R32_UINT, {4, 4}), to(device, VK_FORMAT_R32_UINT, {4, 4});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        from.prepare(commands);
        to.prepare(commands);
        const VkClearColorValue color{};
        vkCmdClearColorImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &from.range);
        VkImageBlit blit{};
        blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        blit.srcOffsets[1] = blit.dstOffsets[1] = {4, 4, 1};
        vkCmdBlitImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image,
                       VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
    }));
    const auto messages = takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("vkCmdClearColorImage"), std::string::npos) << messages[0];
}

// "Image Copies With Scaling": the middle of each texel of the target, (x + 1/2), is scaled to the
// source. With a linear filter, half a texel is subtracted, and what is beyond an edge is its
// texel. "Signed and unsigned integers are converted by first clamping to the representable range".
struct BlitRow {
    VkFormat from, to;
    VkFilter filter;
    int32_t first, last;  // of the target
    Values source, target;
};
const BlitRow kBlits[] = {
    {VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FILTER_NEAREST, 0, 4, {10, 20}, {10, 10, 20, 20}},
    {VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FILTER_NEAREST, 4, 0, {10, 20}, {20, 20, 10, 10}},
    {VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FILTER_NEAREST, 1, 2, {10, 20}, {7, 20, 7, 7}},
    {VK_FORMAT_R32_SFLOAT,
     VK_FORMAT_R32_SFLOAT,
     VK_FILTER_LINEAR,
     0,
     4,
     {0, 0x41000000},
     {0, 0x40000000, 0x40C00000, 0x41000000}},  // 0 and 8: 0, 2, 6, 8
    {VK_FORMAT_R8G8B8A8_UNORM,
     VK_FORMAT_R32_SFLOAT,
     VK_FILTER_NEAREST,
     0,
     2,
     {0xFF, 0x33},
     {0x3F800000, 0x3E4CCCCD, 7, 7}},  // 51 / 255
    {VK_FORMAT_R32_SINT,
     VK_FORMAT_R8G8B8A8_SINT,
     VK_FILTER_NEAREST,
     0,
     2,
     {uint32_t(-1000), 300},
     {0x01000080, 0x0100007F, 7, 7}},  // -128, 127; absent components are 0, alpha 1
    {VK_FORMAT_R32_UINT,
     VK_FORMAT_A2B10G10R10_UINT_PACK32,
     VK_FILTER_NEAREST,
     0,
     2,
     {0xFFFFFFFF, 1023},
     {0x400003FF, 0x400003FF, 7, 7}},
};

TEST_F(Images, Scales) {
    for (const BlitRow& row : kBlits) {
        Picture from(device, row.from, {2, 1}), to(device, row.to, {4, 1});
        Words source(device, row.source), target(device, Values(4, 7));
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            from.prepare(commands);
            to.prepare(commands);
            from.copyFrom(commands, source.buffer);
            to.copyFrom(commands, target.buffer);
            fullBarrier(commands);
            VkImageBlit blit{};
            blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
            blit.srcOffsets[1] = {2, 1, 1};
            blit.dstOffsets[0] = {row.first, 0, 0};
            blit.dstOffsets[1] = {row.last, 1, 1};
            vkCmdBlitImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image,
                           VK_IMAGE_LAYOUT_GENERAL, 1, &blit, row.filter);
            fullBarrier(commands);
            to.copyTo(commands, target.buffer);
        }));
        EXPECT_EQ(target.values(), row.target) << row.from << ", " << row.filter;
    }
}

// vkGetDeviceImageSubresourceLayout: "as if the image were created". Rows have all their texels,
// and no two subresources a byte in common.
TEST_F(Images, LayoutsNeedNoImage) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8_SRGB;
    info.extent = {7, 5, 1};
    info.mipLevels = info.arrayLayers = 2;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkImage image = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateImage(device, &info, nullptr, &image));
    VkDeviceSize end = 0;
    for (uint32_t layer = 0; layer < 2; ++layer) {
        for (uint32_t level = 0; level < 2; ++level) {
            VkImageSubresource2 part{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2};
            part.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer};
            const VkDeviceImageSubresourceInfo question{
                VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO, nullptr, &info, &part};
            VkSubresourceLayout2 answer{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2};
            vkGetDeviceImageSubresourceLayout(device, &question, &answer);
            const VkSubresourceLayout& found = answer.subresourceLayout;
            VkSubresourceLayout2 ofImage{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2};
            vkGetImageSubresourceLayout2(device, image, &part, &ofImage);
            EXPECT_EQ(std::memcmp(&found, &ofImage.subresourceLayout, sizeof(found)), 0)
                << layer << ", " << level;
            EXPECT_GE(found.rowPitch, (7u >> level) * 2);
            EXPECT_GE(found.size, (5u >> level) * found.rowPitch);
            EXPECT_GE(found.offset, end);
            end = found.offset + found.size;
        }
    }
    vkDestroyImage(device, image, nullptr);
}

// Depth and stencil of one image are apart in buffers: 24 bits of depth in words, stencil in bytes.
TEST_F(Images, CopiesAspects) {
    constexpr VkImageAspectFlags kBoth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    Picture picture(device, VK_FORMAT_D24_UNORM_S8_UINT, {2, 2}, kBoth);
    Words depth(device, Values(4, 0)), stencil(device, Values(1, 0));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        picture.prepare(commands);
        const VkClearDepthStencilValue value{1.0f, 0x5A};
        vkCmdClearDepthStencilImage(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                                    &picture.range);
        fullBarrier(commands);
        VkBufferImageCopy copy{};
        copy.imageExtent = {2, 2, 1};
        copy.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1};
        vkCmdCopyImageToBuffer(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, depth.buffer, 1,
                               &copy);
        copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
        vkCmdCopyImageToBuffer(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, stencil.buffer, 1,
                               &copy);
    }));
    for (const uint32_t word : depth.values()) EXPECT_EQ(word & 0xFFFFFF, 0xFFFFFFu);
    EXPECT_EQ(stencil.values(), (Values{0x5A5A5A5A}));
}

// "Compatible Formats for Depth-Stencil to/from Color Copies": 24 bits of depth are 32 of color.
// Both aspects go together from image to image.
TEST_F(Images, CopiesDepthToColor) {
    constexpr VkImageAspectFlags kBoth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    Picture first(device, VK_FORMAT_D24_UNORM_S8_UINT, {2, 2}, kBoth);
    Picture second(device, VK_FORMAT_D24_UNORM_S8_UINT, {2, 2}, kBoth);
    Picture depth(device, VK_FORMAT_R32_UINT, {2, 2}), stencil(device, VK_FORMAT_R8_UINT, {2, 2});
    Words depths(device, Values(4, 0)), stencils(device, Values(1, 0));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        for (const Picture* each : {&first, &second, &depth, &stencil}) each->prepare(commands);
        depth.clear(commands);
        const VkClearDepthStencilValue value{1.0f, 0x5A};
        vkCmdClearDepthStencilImage(commands, first.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                                    &first.range);
        fullBarrier(commands);
        const auto copy = [&](const Picture& from, VkImageAspectFlags aspect, const Picture& to) {
            const VkImageCopy region{
                {aspect, 0, 0, 1}, {}, {to.range.aspectMask, 0, 0, 1}, {}, {2, 2, 1}};
            vkCmdCopyImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image,
                           VK_IMAGE_LAYOUT_GENERAL, 1, &region);
            fullBarrier(commands);
        };
        copy(first, kBoth, second);
        copy(second, VK_IMAGE_ASPECT_DEPTH_BIT, depth);
        copy(second, VK_IMAGE_ASPECT_STENCIL_BIT, stencil);
        depth.copyTo(commands, depths.buffer);
        stencil.copyTo(commands, stencils.buffer);
    }));
    for (const uint32_t word : depths.values()) EXPECT_EQ(word & 0xFFFFFF, 0xFFFFFFu);
    EXPECT_EQ(stencils.values(), (Values{0x5A5A5A5A}));
}

TEST_F(Images, RegionsOutsideAreRefused) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    Picture picture(device, VK_FORMAT_R32_UINT, {4, 3});
    Words target(device, Values(12, 0));
    const VkCommandBuffer commands = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ASSERT_VK(vkBeginCommandBuffer(commands, &begin));
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageOffset = {2, 0, 0};
    copy.imageExtent = {3, 1, 1};
    vkCmdCopyImageToBuffer(commands, picture.image, VK_IMAGE_LAYOUT_GENERAL, target.buffer, 1,
                           &copy);
    EXPECT_EQ(vkEndCommandBuffer(commands), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(takeMessages(), (std::vector<std::string>{
                                  "coopvk-reference-usage: vkCmdCopyImageToBuffer: it goes beyond "
                                  "the end of the image"}));
}

// What shaders/texels.comp accesses.
class Texels : public Images {
 protected:
    void SetUp() override {
        Images::SetUp();
        VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
        info.magFilter = info.minFilter = VK_FILTER_LINEAR;
        info.addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT;
        info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        ASSERT_VK(vkCreateSampler(device, &info, nullptr, &sampler));
    }
    void TearDown() override {
        vkDestroySampler(device, sampler, nullptr);
        Images::TearDown();
    }

    VkBufferView viewOf(VkBuffer buffer, VkFormat format) {
        VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
        info.buffer = buffer;
        info.format = format;
        info.range = VK_WHOLE_SIZE;
        VkBufferView view = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateBufferView(device, &info, nullptr, &view));
        return view;
    }
    static std::vector<VkDescriptorSetLayoutBinding> bindings() {
        return {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                binding(1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
                binding(2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE),
                binding(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE),
                binding(4, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER),
                binding(5, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)};
    }
    void writeSet(VkDescriptorSet set, const Words& results,
                  const std::vector<VkDescriptorImageInfo>& images,
                  const std::vector<VkBufferView>& views) {
        const VkDescriptorBufferInfo buffer = results.info();
        std::vector<VkWriteDescriptorSet> writes;
        for (const VkDescriptorSetLayoutBinding& each : bindings()) {
            VkWriteDescriptorSet& write =
                writes.emplace_back(VkWriteDescriptorSet{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET});
            write.dstSet = set;
            write.dstBinding = each.binding;
            write.descriptorCount = 1;
            write.descriptorType = each.descriptorType;
            if (each.binding == 0) write.pBufferInfo = &buffer;
            if (each.binding >= 1 && each.binding <= 3)
                write.pImageInfo = &images[each.binding - 1];
            if (each.binding >= 4) write.pTexelBufferView = &views[each.binding - 4];
        }
        vkUpdateDescriptorSets(device, static_cast<uint32_t>(writes.size()), writes.data(), 0,
                               nullptr);
    }
    void dispatch(VkCommandBuffer commands, VkPipeline pipeline, VkPipelineLayout layout,
                  VkDescriptorSet set) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0,
                                nullptr);
        vkCmdDispatch(commands, 1, 1, 1);
    }

    VkSampler sampler = VK_NULL_HANDLE;
};

float floatOf(uint32_t bits) {
    float number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
}

// A linear filter between four texels gives their mean; the coordinate repeats along x and stops at
// the edge along y.
TEST_F(Texels, AreReadFilteredCountedAndWritten) {
    Picture colors(device, VK_FORMAT_R8G8B8A8_UNORM, {4, 4});
    Picture counters(device, VK_FORMAT_R32_UINT, {1, 2});
    Values texels(16);
    for (uint32_t i = 0; i < 16; ++i) texels[i] = i * 0x01030507;
    Words source(device, texels), results(device, Values(320, 0)), count(device, Values(2, 9));
    Words halves(device, Values(16, 0x3C00C000)), integers(device, Values(16, 1));
    const VkBufferView views[] = {viewOf(halves.buffer, VK_FORMAT_R16G16_SFLOAT),
                                  viewOf(integers.buffer, VK_FORMAT_R32_SINT)};
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeSet(set, results, {colors.info(sampler), colors.info(), counters.info()},
             {views[0], views[1]});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        colors.prepare(commands);
        counters.prepare(commands);
        colors.copyFrom(commands, source.buffer);
        counters.clear(commands);
        dispatch(commands, layout.pipeline(kTexelsWords), layout.pipelines, set);
        fullBarrier(commands);
        counters.copyTo(commands, count.buffer);
    }));
    const auto color = [&](uint32_t x, uint32_t y, uint32_t c) {
        return static_cast<double>(texels[std::min(y, 3u) * 4 + x % 4] >> 8 * c & 0xFF) / 255;
    };
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t x = i % 4, y = i / 4;
        for (uint32_t c = 0; c < 4; ++c) {
            const double mean = (color(x, y, c) + color(x + 1, y, c) + color(x, y + 1, c) +
                                 color(x + 1, y + 1, c)) /
                                4;
            EXPECT_NEAR(floatOf(results[20 * i + c]), mean, 1e-6) << i;
            EXPECT_NEAR(floatOf(results[20 * i + 4 + c]), color(x, y, c), 1e-7) << i;
            EXPECT_NEAR(floatOf(results[20 * i + 8 + c]), color(x, y, c), 1e-7) << i;
        }
        // "Texel Gathering": (i0, j1), (i1, j1), (i1, j0), (i0, j0).
        const double gathered[] = {color(x, y + 1, 1), color(x + 1, y + 1, 1), color(x + 1, y, 1),
                                   color(x, y, 1)};
        for (uint32_t c = 0; c < 4; ++c)
            EXPECT_NEAR(floatOf(results[20 * i + 16 + c]), gathered[c], 1e-7) << i;
        const float others[] = {-2, 1, 16, 1};
        for (uint32_t c = 0; c < 4; ++c) EXPECT_EQ(floatOf(results[20 * i + 12 + c]), others[c]);
        EXPECT_EQ(integers[i], 0u - i);
    }
    EXPECT_EQ(count.values(), (Values{0, 16}));
    for (const VkBufferView view : views) vkDestroyBufferView(device, view, nullptr);
}

// nullDescriptor: "loads ... return zero values", stores and atomics "have no effect", sizes are
// zero. Nothing of that is a report.
TEST_F(Texels, OfNullDescriptorsAreZeros) {
    Words results(device, Values(320, 7));
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    const VkDescriptorImageInfo none{VK_NULL_HANDLE, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    writeSet(set, results, {{sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL}, none, none},
             {VK_NULL_HANDLE, VK_NULL_HANDLE});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        dispatch(commands, layout.pipeline(kTexelsWords), layout.pipelines, set);
    }));
    for (uint32_t i = 0; i < 16; ++i)
        for (const uint32_t c : {0u, 4u, 8u, 12u, 13u, 14u, 16u})
            EXPECT_EQ(results[20 * i + c], 0u);
}

// Without a barrier between the copy and the shader.
TEST_F(Texels, AccessesWithoutADependencyAreReported) {
    Picture colors(device, VK_FORMAT_R8G8B8A8_UNORM, {4, 4});
    Picture counters(device, VK_FORMAT_R32_UINT, {1, 2});
    Words source(device, Values(16, 0)), results(device, Values(320, 0));
    const VkBufferView views[] = {viewOf(source.buffer, VK_FORMAT_R16G16_SFLOAT),
                                  viewOf(results.buffer, VK_FORMAT_R32_SINT)};
    Layout layout(device, bindings());
    const VkDescriptorSet set = layout.allocate();
    writeSet(set, results, {colors.info(sampler), colors.info(), counters.info()},
             {VK_NULL_HANDLE, VK_NULL_HANDLE});
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        colors.prepare(commands);
        counters.prepare(commands);
        counters.clear(commands);
        colors.copyFrom(commands, source.buffer);
        dispatch(commands, layout.pipeline(kTexelsWords), layout.pipelines, set);
    }));
    const std::vector<std::string> messages = takeMessages();
    const auto isOfSamples = [](const std::string& text) {
        return text.find("VK_ACCESS_2_SHADER_SAMPLED_READ_BIT") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(messages, isOfSamples));
    for (const VkBufferView view : views) vkDestroyBufferView(device, view, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::images_test
