// SPDX-License-Identifier: Apache-2.0
//
// Images and their memory.
#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

uint64_t up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

void setRequirements(const Image& image, VkMemoryRequirements2* out) {
    constexpr uint32_t kAllTypes = (1u << std::size(kMemoryTypes)) - 1;
    out->memoryRequirements = {up(image.size, kImageAlignment), kImageAlignment, kAllTypes};
    if (auto* dedicated = find<VkMemoryDedicatedRequirements>(out->pNext))
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = VK_FALSE;
}

void requireInfo(const VkImageCreateInfo& info) {
    require(info.extent.width != 0 && info.extent.height != 0 && info.extent.depth != 0,
            "the extent is 0");
    require(info.mipLevels != 0 && info.arrayLayers != 0, "the image has no level or no layer");
    require((info.flags & kSparseOrProtected) == 0,
            "the device has no sparse and no protected images");
    if (planesOf(info.format).empty()) return;
    require(info.imageType == VK_IMAGE_TYPE_2D && info.mipLevels == 1 && info.samples == 1,
            "an image with several planes is flat, with one level and one sample");
    require(info.extent.width % 2 == 0 && info.extent.height % 2 == 0,
            "chroma has half the size of the image, which is odd");
}

VkSubresourceLayout layoutOf(const Image& image, const VkImageSubresource& of) {
    const TexelLevel& level = image.level(image.levelOf(of.mipLevel, of.aspectMask));
    (void)image.layersOf(of.arrayLayer, 1);
    return {level.offset + of.arrayLayer * image.layer, level.slice * level.depth, level.row,
            image.layer, level.slice};
}

}  // namespace

// Layers start at multiples of the alignment, so that each can have memory of its own size.
Image::Image(Device& on, const VkImageCreateInfo& of)
    : device(on), info(of), format(texelFormat(of.format)) {
    info.pNext = nullptr;
    uint64_t offset = 0;
    VkExtent3D extent = info.extent;
    const auto planes = uint32_t(planesOf(info.format).size());
    for (uint32_t i = 0; i < std::max(planes, info.mipLevels); ++i) {
        TexelLevel& to = levels.emplace_back();
        to = {offset, 0, 0, extent.width, extent.height, extent.depth};
        to.row = uint64_t{blocksOf(to.width, format.blockWidth)} * bytesOfTexel(i);
        to.slice = to.row * blocksOf(to.height, format.blockHeight);
        offset = up(offset + to.slice * to.depth, 16);
        if (planes != 0 && i != 0) continue;  // the planes of chroma have one size
        for (uint32_t* texels : {&extent.width, &extent.height, &extent.depth})
            *texels = std::max(*texels / 2, 1u);
    }
    layer = up(offset, kImageAlignment);
    size = layer * info.arrayLayers;
}

std::shared_ptr<const void> Image::hold() const {
    auto held = memory.lock();
    require(held != nullptr,
            range.data == nullptr ? "an image has no memory" : "the memory of an image was freed");
    return held;
}

void Image::bind(const Range& to, std::weak_ptr<const void> of) {
    range = to;
    memory = std::move(of);
}

void Image::requireUsage(VkImageUsageFlags usage) const {
    require((info.usage & usage) != 0, "the image's usage does not allow it");
    (void)hold();
}

uint32_t Image::levelOf(uint32_t mipLevel, VkImageAspectFlags aspect) const {
    require(mipLevel < info.mipLevels, "the image has no such level");
    if (!hasPlanes()) return mipLevel;
    require(planeOf(aspect) < levels.size(), "the image has no such plane");
    return planeOf(aspect);
}

uint32_t Image::layersOf(uint32_t first, uint32_t count) const {
    const uint32_t all = info.arrayLayers;
    require(first < all && (count == VK_REMAINING_ARRAY_LAYERS || count <= all - first),
            "the image has no such layers");
    return count == VK_REMAINING_ARRAY_LAYERS ? all - first : count;
}

uint32_t Image::levelsOf(uint32_t first, uint32_t count) const {
    const uint32_t all = info.mipLevels;
    require(first < all && (count == VK_REMAINING_MIP_LEVELS || count <= all - first),
            "the image has no such levels");
    return count == VK_REMAINING_MIP_LEVELS ? all - first : count;
}

Range Image::row(uint32_t number, uint32_t ofLayer, uint32_t z, uint32_t y, uint32_t x,
                 uint32_t count) const {
    const TexelLevel& of = levels[number];
    const uint64_t bytes = bytesOfTexel(number);
    return part(range, of.offset + ofLayer * layer + z * of.slice + y * of.row + x * bytes,
                count * bytes);
}

VkResult CreateImage(Device& device, const VkImageCreateInfo* info, Allocator, VkImage* out) {
    if (!device.settings().graphics) return VK_ERROR_FEATURE_NOT_PRESENT;
    requireInfo(*info);
    auto image = std::make_shared<Image>(device, *info);
    require(image->format.bytes != 0, "the device has no images of this format");
    if (image->size > kHeapSize) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *out = give(image, &device);
    return VK_SUCCESS;
}
COOPVK_DESTROY(Image)

void GetDeviceImageMemoryRequirements(Device& device, const VkDeviceImageMemoryRequirements* info,
                                      VkMemoryRequirements2* out) {
    require(info->pCreateInfo != nullptr, "there is no image to ask for");
    requireInfo(*info->pCreateInfo);
    setRequirements(Image(device, *info->pCreateInfo), out);
}

void GetImageMemoryRequirements2(Device& device, const VkImageMemoryRequirementsInfo2* info,
                                 VkMemoryRequirements2* out) {
    setRequirements(theObject(info->image, device), out);
}

void GetImageMemoryRequirements(Device&, Image* image, VkMemoryRequirements* out) {
    VkMemoryRequirements2 all{};
    setRequirements(*image, &all);
    *out = all.memoryRequirements;
}

void GetImageSubresourceLayout(Device&, Image* image, const VkImageSubresource* of,
                               VkSubresourceLayout* out) {
    *out = layoutOf(*image, *of);
}

void GetImageSubresourceLayout2(Device& device, Image* image, const VkImageSubresource2* of,
                                VkSubresourceLayout2* out) {
    GetImageSubresourceLayout(device, image, &of->imageSubresource, &out->subresourceLayout);
}

void GetDeviceImageSubresourceLayout(Device& device, const VkDeviceImageSubresourceInfo* info,
                                     VkSubresourceLayout2* out) {
    require(info->pCreateInfo != nullptr && info->pSubresource != nullptr,
            "there is no image to ask for");
    requireInfo(*info->pCreateInfo);
    const Image image(device, *info->pCreateInfo);
    out->subresourceLayout = layoutOf(image, info->pSubresource->imageSubresource);
}

}  // namespace coopvk::reference::icd
