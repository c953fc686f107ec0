// SPDX-License-Identifier: Apache-2.0
//
// Views of images and of texel buffers, and samplers.
#include <cmath>

#include "images/image.hpp"

namespace coopvk::reference::icd {
uint8_t shownBy(VkComponentSwizzle swizzle, uint8_t own) {
    switch (swizzle) {
        case VK_COMPONENT_SWIZZLE_IDENTITY:
            return own;
        case VK_COMPONENT_SWIZZLE_ZERO:
            return kShowsZero;
        case VK_COMPONENT_SWIZZLE_ONE:
            return kShowsOne;
        default:
            return uint8_t(swizzle - VK_COMPONENT_SWIZZLE_R);
    }
}

namespace {

// Levels and layers of the view. A view with layers of an image with depth has its slices.
void selectLevels(const Image& image, const VkImageViewCreateInfo& info, TexelView& view) {
    const VkImageSubresourceRange& range = info.subresourceRange;
    const uint32_t count = image.levelsOf(range.baseMipLevel, range.levelCount);
    const auto first = image.levels.begin() + image.levelOf(range.baseMipLevel, range.aspectMask);
    view.levels.assign(first, first + count);
    const bool showsSlices =
        image.info.imageType == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D;
    view.layer = showsSlices ? first->slice : image.layer;
    const uint32_t all = showsSlices ? first->depth : image.info.arrayLayers;
    require(range.baseArrayLayer < all, "the image has no such layers");
    view.layers = range.layerCount == VK_REMAINING_ARRAY_LAYERS ? all - range.baseArrayLayer
                                                                : range.layerCount;
    require(view.layers <= all - range.baseArrayLayer, "the image has no such layers");
    for (TexelLevel& level : view.levels) {
        level.offset += range.baseArrayLayer * view.layer;
        if (showsSlices) level.depth = 1;
    }
}

// A view of all planes, whose sampler converts them.
void selectPlanes(const Image& image, const VkImageViewCreateInfo& info, TexelView& view) {
    const auto planes = planesOf(image.info.format);
    for (size_t i = 0; i < planes.size(); ++i) {
        TexelView plane = view;
        plane.planes.clear();
        plane.format = planes[i];
        plane.levels = {image.levels[i]};
        plane.levels[0].offset += info.subresourceRange.baseArrayLayer * view.layer;
        view.planes.push_back(std::move(plane));
    }
}

constexpr Texel kBorders[] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1},
                              {0, 0, 0, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};

Texel borderOf(const VkSamplerCreateInfo& info) {
    if (info.borderColor < std::size(kBorders)) return kBorders[info.borderColor];
    const auto* custom = find<VkSamplerCustomBorderColorCreateInfoEXT>(info.pNext);
    require(custom != nullptr, "there is no border color");
    Texel color;
    const bool isInteger = info.borderColor == VK_BORDER_COLOR_INT_CUSTOM_EXT;
    for (size_t i = 0; i < color.size(); ++i)
        color[i] = isInteger ? double(custom->customBorderColor.int32[i])
                             : double(custom->customBorderColor.float32[i]);
    return color;
}

}  // namespace

ImageView::ImageView(Device& device, const VkImageViewCreateInfo& info)
    : format(info.format), range(info.subresourceRange) {
    const Image& of = theObject(info.image, device);
    image = of.self;
    texels.format = texelFormat(info.format, info.subresourceRange.aspectMask);
    texels.samples = of.info.samples;
    selectLevels(of, info, texels);
    // A view of blocks as texels.
    if (of.format.isCompressed() && !texels.format.isCompressed()) {
        for (TexelLevel& level : texels.levels) {
            level.width = (level.width + of.format.blockWidth - 1) / of.format.blockWidth;
            level.height = (level.height + of.format.blockHeight - 1) / of.format.blockHeight;
        }
    }
    const VkImageAspectFlags aspect = info.subresourceRange.aspectMask;
    const bool isOfPlane = of.hasPlanes() && aspect != VK_IMAGE_ASPECT_COLOR_BIT;
    require(texels.format.bytes == (isOfPlane ? of.bytesOfTexel(planeOf(aspect)) : of.format.bytes),
            "the formats of view and image differ in size");
    require(isOfPlane || of.hasPlanes() == !planesOf(info.format).empty(),
            "the formats of view and image differ in planes");
    if (of.hasPlanes() && !isOfPlane) selectPlanes(of, info, texels);
    const auto& [r, g, b, a] = info.components;
    texels.shows = {shownBy(r, 0), shownBy(g, 1), shownBy(b, 2), shownBy(a, 3)};
}

std::shared_ptr<const BoundTexels> ImageView::shown(bool isSampled) const {
    const std::shared_ptr<const Object> object = image.lock();
    require(object != nullptr, "the image of a view was destroyed");
    const auto& of = reinterpret_cast<const Image&>(*object);
    (void)of.hold();
    auto bound = std::make_shared<BoundTexels>(BoundTexels{texels, self});
    bound->range = of.range;
    bound->range.isSampled = isSampled;
    for (TexelView& plane : bound->planes) plane.range = bound->range;
    return bound;
}

COOPVK_DESTROY(ImageView)
VkResult CreateImageView(Device& device, const VkImageViewCreateInfo* info, Allocator,
                         VkImageView* out) {
    if (!device.settings().graphics) return VK_ERROR_FEATURE_NOT_PRESENT;
    require(planesOf(info->format).empty() ||
                find<VkSamplerYcbcrConversionInfo>(info->pNext) != nullptr,
            "a view of all planes of an image has no conversion");
    *out = give(std::make_shared<ImageView>(device, *info), &device);
    return VK_SUCCESS;
}

TexelView texelsOf(const Range& range, VkFormat format) {
    require(bufferFeatures(format) != 0, "the device has no texel buffers of this format");
    TexelView texels;
    texels.format = texelFormat(format);
    texels.range = range;
    const uint64_t count = range.size / texels.format.bytes;
    texels.levels = {{0, range.size, range.size, uint32_t(count), 1, 1}};
    return texels;
}

BufferView::BufferView(Device& device, const VkBufferViewCreateInfo& info) {
    const Buffer& of = theObject(info.buffer, device);
    of.requireRange(
        info.offset, info.range == VK_WHOLE_SIZE ? 0 : info.range,
        VK_BUFFER_USAGE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT);
    buffer = of.self;
    texels = texelsOf(part(of.range, info.offset, info.range), info.format);
}
COOPVK_DESTROY(BufferView)
VkResult CreateBufferView(Device& device, const VkBufferViewCreateInfo* info, Allocator,
                          VkBufferView* out) {
    if (!device.settings().graphics) return VK_ERROR_FEATURE_NOT_PRESENT;
    *out = give(std::make_shared<BufferView>(device, *info), &device);
    return VK_SUCCESS;
}

Sampler::Sampler(Device&, const VkSamplerCreateInfo& info) {
    const auto wrap = [](VkSamplerAddressMode mode) { return Wrap(mode); };
    auto made = std::make_shared<SamplerState>();
    made->magnifiesLinearly = info.magFilter == VK_FILTER_LINEAR;
    made->minifiesLinearly = info.minFilter == VK_FILTER_LINEAR;
    made->mixesLevels = info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR;
    made->wraps = {wrap(info.addressModeU), wrap(info.addressModeV), wrap(info.addressModeW)};
    made->bias = info.mipLodBias;
    made->least = info.minLod;
    made->most = info.maxLod;
    made->isUnnormalized = info.unnormalizedCoordinates;
    if (const auto* reduces = find<VkSamplerReductionModeCreateInfo>(info.pNext))
        made->reduction = Reduction(reduces->reductionMode);
    made->compares = info.compareEnable;
    made->compare = Compare(info.compareOp);
    made->border = borderOf(info);
    if (const auto* converts = find<VkSamplerYcbcrConversionInfo>(info.pNext))
        made->conversion = theObject(converts->conversion).conversion;
    state = std::move(made);
}
COOPVK_OBJECT(Sampler)

SamplerYcbcrConversion::SamplerYcbcrConversion(Device& device,
                                               const VkSamplerYcbcrConversionCreateInfo& info) {
    require(device.settings().graphics && !planesOf(info.format).empty(),
            "the device converts no colors of this format");
    require(!info.forceExplicitReconstruction,
            "the device has no explicit reconstruction of this format");
    require(info.ycbcrModel <= VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020,
            "there is no such model");
    const auto& [r, g, b, a] = info.components;
    conversion = {ColorModel(info.ycbcrModel),
                  info.ycbcrRange == VK_SAMPLER_YCBCR_RANGE_ITU_NARROW,
                  {shownBy(r, 0), shownBy(g, 1), shownBy(b, 2), shownBy(a, 3)},
                  {info.xChromaOffset == VK_CHROMA_LOCATION_MIDPOINT,
                   info.yChromaOffset == VK_CHROMA_LOCATION_MIDPOINT},
                  info.chromaFilter == VK_FILTER_LINEAR};
}
COOPVK_OBJECT(SamplerYcbcrConversion)

}  // namespace coopvk::reference::icd
