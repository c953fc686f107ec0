// SPDX-License-Identifier: Apache-2.0
//
// Clears of images outside of render passes.
#include <cstring>

#include "images/regions.hpp"

namespace coopvk::reference::icd {
void fill(Execution& execution, const Region& region, const TexelBytes& texel, bool isFollowed) {
    const uint32_t stride = region.image->format.bytes;
    const auto [first, count, unused] = region.bytes;
    for (uint32_t s = 0; s < region.slices; ++s) {
        for (uint32_t n = 0; n < region.rows; ++n) {
            const Range row = region.row(s, n);
            const bool isWhole = count == stride;
            if (isWhole && isFollowed) followWrite(execution, Use::kClearWrite, row);
            for (uint64_t at = 0; at < row.size; at += stride) {
                const Range bytes = part(row, at + first, count);
                if (!isWhole && isFollowed) followWrite(execution, Use::kClearWrite, bytes);
                std::memcpy(bytes.data, texel.data() + first, bytes.size);
                markWritten(bytes);
            }
        }
    }
}

namespace {

void clear(CommandBuffer& commands, Image& image, VkImageAspectFlags aspect,
           const TexelBytes& texel, std::span<const VkImageSubresourceRange> ranges) {
    image.requireUsage(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    require(image.format.count != 0, "an image with a compressed format or planes is cleared");
    std::vector<Region> regions;
    for (const VkImageSubresourceRange& range : ranges) {
        if ((range.aspectMask & aspect) == 0) continue;
        const uint32_t levels = image.levelsOf(range.baseMipLevel, range.levelCount);
        const uint32_t layers = image.layersOf(range.baseArrayLayer, range.layerCount);
        for (uint32_t i = 0; i < levels * layers; ++i)
            regions.push_back(wholeOf(image, aspect, range.baseMipLevel + i / layers,
                                      range.baseArrayLayer + i % layers));
    }
    const auto clearAll = [regions = std::move(regions), texel, &image](Execution& execution) {
        const auto held = image.hold();
        beginAccesses(execution, Use::kClearWrite);
        for (const Region& region : regions) fill(execution, region, texel, true);
    };
    record(commands, clearAll, &image);
}

}  // namespace

TexelBytes texelOf(const TexelFormat& format, const VkClearColorValue& color) {
    Texel texel;
    const bool isSigned = format.components[0].kind == TexelKind::kSint;
    for (size_t i = 0; i < texel.size(); ++i)
        texel[i] = !format.isInteger() ? double(color.float32[i])
                   : isSigned          ? double(color.int32[i])
                                       : double(color.uint32[i]);
    TexelBytes bytes{};
    encodeTexel(format, texel, bytes);
    return bytes;
}

TexelBytes texelOf(VkFormat format, VkImageAspectFlags aspect,
                   const VkClearDepthStencilValue& value) {
    const bool isDepth = aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    TexelBytes bytes{};
    encodeTexel(texelFormat(format, aspect),
                {isDepth ? double(value.depth) : double(value.stencil)}, bytes);
    return bytes;
}

Region wholeOf(Image& image, VkImageAspectFlags aspect, uint32_t number, uint32_t layer) {
    const TexelLevel& level = image.level(number);
    Region region{.image = &image,
                  .bytes = bytesOf(image.info.format, aspect),
                  .level = number,
                  .layer = layer};
    region.slices = level.depth;
    region.rows = level.height;
    region.blocks = level.width;  // with all samples
    if (image.info.imageType != VK_IMAGE_TYPE_3D) region.slices = 1;
    return region;
}

void CmdClearColorImage(CommandBuffer& commands, Image* image, VkImageLayout,
                        const VkClearColorValue* color, uint32_t count,
                        const VkImageSubresourceRange* ranges) {
    const TexelBytes bytes = texelOf(image->format, *color);
    clear(commands, *image, VK_IMAGE_ASPECT_COLOR_BIT, bytes, listOf(ranges, count));
}

void CmdClearDepthStencilImage(CommandBuffer& commands, Image* image, VkImageLayout,
                               const VkClearDepthStencilValue* value, uint32_t count,
                               const VkImageSubresourceRange* ranges) {
    const VkFormat format = image->info.format;
    for (const VkImageAspectFlags aspect : {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT})
        if (aspectsOf(format) & aspect)
            clear(commands, *image, aspect, texelOf(format, aspect, *value), listOf(ranges, count));
}

}  // namespace coopvk::reference::icd
