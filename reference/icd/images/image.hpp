// SPDX-License-Identifier: Apache-2.0
//
// Images lie in memory row by row, whatever their tiling: level after level in each layer, texels
// of all aspects together.
#pragma once

#include "command_buffer.hpp"
#include "coopvk_reference/texels.hpp"

namespace coopvk::reference::icd {

// Of the memory of images, and of their layers in it.
constexpr VkDeviceSize kImageAlignment = 256;

inline constexpr VkImageCreateFlags kSparseOrProtected =
    VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_PROTECTED_BIT;
// Of a format, in a row or column of texels.
constexpr uint32_t blocksOf(uint32_t texels, uint32_t size) { return (texels + size - 1) / size; }

// The format, with the components of these aspects, or of color; without bytes: the device has no
// images of it.
TexelFormat texelFormat(VkFormat format, VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT |
                                                                      VK_IMAGE_ASPECT_DEPTH_BIT |
                                                                      VK_IMAGE_ASPECT_STENCIL_BIT);
VkImageAspectFlags aspectsOf(VkFormat format);
// Of a format with several; none: of others. The format itself has no components.
std::span<const TexelFormat> planesOf(VkFormat format);
// Which one an aspect is; of other aspects 0.
uint32_t planeOf(VkImageAspectFlags aspect);
// Bytes of an aspect in a texel, and in the texel of a buffer with this aspect alone.
struct AspectBytes {
    uint32_t first = 0, count = 0, packed = 0;
};
AspectBytes bytesOf(VkFormat format, VkImageAspectFlags aspect);

VkFormatFeatureFlags2 imageFeatures(VkFormat format, VkImageTiling tiling);
VkFormatFeatureFlags2 bufferFeatures(VkFormat format);

struct Image : ObjectOf<VkImage> {
    Image(Device& on, const VkImageCreateInfo& of);
    Device& device;
    VkImageCreateInfo info;  // without a chain
    TexelFormat format;
    std::vector<TexelLevel> levels;  // of layer 0; or planes, of an image with several
    uint64_t layer = 0;              // bytes
    uint64_t size = 0;
    Range range;                       // empty until it is bound
    std::weak_ptr<const void> memory;  // to which it is bound

    // As Buffer::hold().
    std::shared_ptr<const void> hold() const;
    void bind(const Range& to, std::weak_ptr<const void> of);
    // Throws InvalidUse unless the image has memory, and this usage.
    void requireUsage(VkImageUsageFlags usage) const;
    const TexelLevel& level(uint32_t number) const {
        require(number < levels.size(), "the image has no such level");
        return levels[number];
    }
    bool hasPlanes() const { return !planesOf(info.format).empty(); }
    // In `levels`. Throws InvalidUse if the image has no such level or plane.
    uint32_t levelOf(uint32_t mipLevel, VkImageAspectFlags aspect) const;
    uint32_t bytesOfTexel(uint32_t level) const {
        return (hasPlanes() ? planesOf(info.format)[level].bytes : format.bytes) * info.samples;
    }
    // Layers that a structure names.
    uint32_t layersOf(uint32_t first, uint32_t count) const;
    uint32_t levelsOf(uint32_t first, uint32_t count) const;
    // Of these rows of blocks in a level: row y of slice z, from block x on.
    Range row(uint32_t level, uint32_t ofLayer, uint32_t z, uint32_t y, uint32_t x,
              uint32_t count) const;
};

struct ImageView : ObjectOf<VkImageView> {
    ImageView(Device&, const VkImageViewCreateInfo& info);
    std::weak_ptr<const Object> image;
    VkFormat format;
    VkImageSubresourceRange range;
    TexelView texels;  // without a range
    // With the memory that the image has now. Throws InvalidUse if it has none.
    std::shared_ptr<const BoundTexels> shown(bool isSampled) const;
};

// A texel buffer. Throws InvalidUse if the device has none of this format.
TexelView texelsOf(const Range& range, VkFormat format);

struct BufferView : ObjectOf<VkBufferView> {
    BufferView(Device&, const VkBufferViewCreateInfo& info);
    std::weak_ptr<const Object> buffer;
    TexelView texels;
};

struct SamplerYcbcrConversion : ObjectOf<VkSamplerYcbcrConversion> {
    SamplerYcbcrConversion(Device&, const VkSamplerYcbcrConversionCreateInfo& info);
    ColorConversion conversion;
};

// The channel that a component shows, which is `own` without a swizzle.
uint8_t shownBy(VkComponentSwizzle swizzle, uint8_t own);

struct Sampler : ObjectOf<VkSampler> {
    Sampler(Device&, const VkSamplerCreateInfo& info);
    std::shared_ptr<const SamplerState> state;
};

}  // namespace coopvk::reference::icd
