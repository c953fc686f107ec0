// SPDX-License-Identifier: Apache-2.0
//
// Parts of images that commands copy and clear.
#pragma once

#include "dependencies/followed.hpp"
#include "images/image.hpp"

namespace coopvk::reference::icd {

// Rows of blocks in a level, of one aspect, slice by slice: slices are layers, or those of an image
// with depth.
struct Region {
    Image* image = nullptr;
    AspectBytes bytes;
    uint32_t level = 0, layer = 0, z = 0, y = 0, x = 0;
    uint32_t slices = 0, rows = 0, blocks = 0;  // blocks of a row

    // Bytes from a block, of one sample, to the next.
    uint32_t stride() const { return image->bytesOfTexel(level) / image->info.samples; }

    Range row(uint32_t slice, uint32_t number) const {
        const bool isDeep = image->info.imageType == VK_IMAGE_TYPE_3D;
        return image->row(level, isDeep ? layer : layer + slice, isDeep ? z + slice : 0, y + number,
                          x, blocks);
    }
};

// Throws InvalidUse unless it is within the image.
Region regionOf(Image& image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent);
// A whole level and layer.
Region wholeOf(Image& image, VkImageAspectFlags aspect, uint32_t level, uint32_t layer);

// The bytes of a texel with this color.
TexelBytes texelOf(const TexelFormat& format, const VkClearColorValue& color);
TexelBytes texelOf(VkFormat format, VkImageAspectFlags aspect,
                   const VkClearDepthStencilValue& value);
// Texels become these bytes, as far as they are of the aspect. `isFollowed`: by a command of the
// stage CLEAR.
void fill(Execution& execution, const Region& region, const TexelBytes& texel, bool isFollowed);

// `count` blocks of a row become those of another, or the aspect's bytes of them.
struct RowOfBlocks {
    Range range;
    uint32_t first = 0, stride = 0;  // bytes of the aspect in a block, and of a block
};
void copyRow(Execution& execution, const RowOfBlocks& from, const RowOfBlocks& to, uint32_t count,
             uint32_t bytes);

}  // namespace coopvk::reference::icd
