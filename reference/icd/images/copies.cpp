// SPDX-License-Identifier: Apache-2.0
//
// Copies between images and buffers.
#include "images/regions.hpp"

namespace coopvk::reference::icd {
namespace {

// From its first byte in a buffer: rows of blocks, slice by slice.
struct BufferLayout {
    uint64_t first = 0, row = 0, slice = 0;
    uint64_t size(const Region& region) const {
        const uint64_t last = uint64_t{region.blocks} * region.bytes.packed;
        return (region.slices - 1) * slice + (region.rows - 1) * row + last;
    }
};

template <typename Copy>
BufferLayout layoutOf(const Region& region, const Copy& copy) {
    const TexelFormat& format = region.image->format;
    const uint32_t texels =
        copy.bufferRowLength != 0 ? copy.bufferRowLength : copy.imageExtent.width;
    const uint32_t lines =
        copy.bufferImageHeight != 0 ? copy.bufferImageHeight : copy.imageExtent.height;
    const uint64_t row = uint64_t{blocksOf(texels, format.blockWidth)} * region.bytes.packed;
    return {copy.bufferOffset, row, row * blocksOf(lines, format.blockHeight)};
}

// Of one region, with what `copyRows` does to row n of slice s.
template <typename Copy>
void recordRows(CommandBuffer& commands, Buffer* buffer, const Region& region,
                const Copy& copyRow) {
    const auto copyAll = [=](Execution& execution) {
        const auto held = region.image->hold(), heldBuffer = buffer->hold();
        beginAccesses(execution, Use::kCopyWrite);
        for (uint32_t s = 0; s < region.slices; ++s)
            for (uint32_t n = 0; n < region.rows; ++n) copyRow(execution, s, n);
    };
    record(commands, copyAll, buffer, region.image);
}

template <bool kToImage, typename Copy>
void copyBuffer(CommandBuffer& commands, Buffer& buffer, Image& image,
                std::span<const Copy> copies) {
    image.requireUsage(kToImage ? VK_IMAGE_USAGE_TRANSFER_DST_BIT
                                : VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    require(image.info.samples == 1, "texels with several samples are copied");
    for (const Copy& copy : copies) {
        const Region region =
            regionOf(image, copy.imageSubresource, copy.imageOffset, copy.imageExtent);
        if (region.slices == 0 || region.rows == 0 || region.blocks == 0) continue;
        const BufferLayout layout = layoutOf(region, copy);
        buffer.requireRange(
            layout.first, layout.size(region),
            kToImage ? VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT : VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
        recordRows(commands, &buffer, region,
                   [=, &buffer](Execution& execution, uint32_t s, uint32_t n) {
                       const auto [first, count, packed] = region.bytes;
                       const uint64_t offset = layout.first + s * layout.slice + n * layout.row;
                       const RowOfBlocks inBuffer{
                           part(buffer.range, offset, uint64_t{region.blocks} * packed), 0, packed};
                       const RowOfBlocks inImage{region.row(s, n), first, region.stride()};
                       copyRow(execution, kToImage ? inBuffer : inImage,
                               kToImage ? inImage : inBuffer, region.blocks, count);
                   });
    }
}

template <typename Copy>
void copyImages(CommandBuffer& commands, Image& source, Image& target,
                std::span<const Copy> copies) {
    source.requireUsage(VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    target.requireUsage(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    require(source.info.samples == target.info.samples,
            "one of the images has more samples than the other");
    for (const Copy& copy : copies) {
        // Layers that become slices are the extent's depth, too.
        VkExtent3D taken = copy.extent;
        if (source.info.imageType != VK_IMAGE_TYPE_3D) taken.depth = 1;
        const Region from = regionOf(source, copy.srcSubresource, copy.srcOffset, taken);
        // The extent is in texels of the source: a block there may be a texel here.
        const auto scaled = [](uint32_t texels, uint32_t size, uint32_t other) {
            return size == other ? texels : blocksOf(texels, size) * other;
        };
        VkExtent3D extent = copy.extent;
        extent.width = scaled(extent.width, source.format.blockWidth, target.format.blockWidth);
        extent.height = scaled(extent.height, source.format.blockHeight, target.format.blockHeight);
        // Slices of an image with depth may become layers.
        const bool isDeep = target.info.imageType == VK_IMAGE_TYPE_3D;
        extent.depth = isDeep ? from.slices : 1;
        VkImageSubresourceLayers layers = copy.dstSubresource;
        if (!isDeep) layers.layerCount = from.slices;
        const Region to = regionOf(target, layers, copy.dstOffset, extent);
        // Depth of 24 bits becomes color of 32, and vice versa: the other bits are undefined.
        require(from.bytes.packed == to.bytes.packed, "the formats of the images differ in size");
        const uint32_t count = std::min(from.bytes.count, to.bytes.count);
        const auto copyAll = [=](Execution& execution) {
            const auto held = from.image->hold(), heldTarget = to.image->hold();
            beginAccesses(execution, Use::kCopyWrite);
            for (uint32_t s = 0; s < from.slices; ++s)
                for (uint32_t n = 0; n < from.rows; ++n)
                    copyRow(execution, {from.row(s, n), from.bytes.first, from.stride()},
                            {to.row(s, n), to.bytes.first, to.stride()},
                            from.blocks * from.image->info.samples, count);
        };
        record(commands, copyAll, &source, &target);
    }
}

}  // namespace

Region regionOf(Image& image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent) {
    const uint32_t number = image.levelOf(layers.mipLevel, layers.aspectMask);
    const TexelLevel& level = image.level(number);
    const uint32_t count = image.layersOf(layers.baseArrayLayer, layers.layerCount);
    // The last block of a row may go beyond the level.
    const auto within = [](int32_t first, uint32_t length, uint32_t texels, uint32_t block = 1) {
        const uint32_t all = blocksOf(texels, block) * block;
        return first >= 0 && uint32_t(first) <= all && length <= all - uint32_t(first);
    };
    const TexelFormat& format = image.format;
    require(within(offset.x, extent.width, level.width, format.blockWidth) &&
                within(offset.y, extent.height, level.height, format.blockHeight) &&
                within(offset.z, extent.depth, level.depth),
            "it goes beyond the end of the image");
    const auto x = uint32_t(offset.x), y = uint32_t(offset.y);
    require(x % format.blockWidth == 0 && y % format.blockHeight == 0,
            "the offset is no multiple of the size of blocks");
    const bool isDeep = image.info.imageType == VK_IMAGE_TYPE_3D;
    return {&image,
            bytesOf(image.info.format, layers.aspectMask),
            number,
            layers.baseArrayLayer,
            uint32_t(offset.z),
            y / format.blockHeight,
            x / format.blockWidth,
            isDeep ? extent.depth : count,
            blocksOf(extent.height, format.blockHeight),
            blocksOf(extent.width, format.blockWidth)};
}

void copyRow(Execution& execution, const RowOfBlocks& from, const RowOfBlocks& to, uint32_t count,
             uint32_t bytes) {
    if (from.stride == bytes && to.stride == bytes)
        return copyRange(execution, from.range, to.range);
    for (uint64_t i = 0; i < count; ++i)
        copyRange(execution, part(from.range, i * from.stride + from.first, bytes),
                  part(to.range, i * to.stride + to.first, bytes));
}

void CmdCopyBufferToImage(CommandBuffer& commands, Buffer* buffer, Image* image, VkImageLayout,
                          uint32_t count, const VkBufferImageCopy* copies) {
    copyBuffer<true>(commands, *buffer, *image, listOf(copies, count));
}
void CmdCopyBufferToImage2(CommandBuffer& commands, const VkCopyBufferToImageInfo2* info) {
    copyBuffer<true>(commands, theObject(info->srcBuffer), theObject(info->dstImage),
                     listOf(info->pRegions, info->regionCount));
}
void CmdCopyImageToBuffer(CommandBuffer& commands, Image* image, VkImageLayout, Buffer* buffer,
                          uint32_t count, const VkBufferImageCopy* copies) {
    copyBuffer<false>(commands, *buffer, *image, listOf(copies, count));
}
void CmdCopyImageToBuffer2(CommandBuffer& commands, const VkCopyImageToBufferInfo2* info) {
    copyBuffer<false>(commands, theObject(info->dstBuffer), theObject(info->srcImage),
                      listOf(info->pRegions, info->regionCount));
}
void CmdCopyImage(CommandBuffer& commands, Image* source, VkImageLayout, Image* target,
                  VkImageLayout, uint32_t count, const VkImageCopy* copies) {
    copyImages(commands, *source, *target, listOf(copies, count));
}
void CmdCopyImage2(CommandBuffer& commands, const VkCopyImageInfo2* info) {
    copyImages(commands, theObject(info->srcImage), theObject(info->dstImage),
               listOf(info->pRegions, info->regionCount));
}

}  // namespace coopvk::reference::icd
