// SPDX-License-Identifier: Apache-2.0
//
// What programs ask of formats and images before they make any. Where the settings refuse graphics,
// no format has a feature.
#include <bit>

#include "images/image.hpp"
#include "memory.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kMostSize = 16384, kMostDepth = 2048, kMostLayers = 2048;

// What an image may be used for, and the feature that its format needs then.
struct UsageRow {
    VkImageUsageFlags usage;
    VkFormatFeatureFlags2 feature;
};
constexpr UsageRow kUsages[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
};

bool isPossible(const VkPhysicalDeviceImageFormatInfo2& info) {
    const VkFormatFeatureFlags2 features = imageFeatures(info.format, info.tiling);
    // The usage may be that of views in other formats.
    const bool isOfViews = info.flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    const bool isLinear = info.tiling == VK_IMAGE_TILING_LINEAR;
    if (features == 0 || (info.flags & kSparseOrProtected) != 0) return false;
    if (isLinear && (info.type != VK_IMAGE_TYPE_2D || info.flags != 0)) return false;
    const bool hasPlanes = !planesOf(info.format).empty();
    const bool isColor = aspectsOf(info.format) == VK_IMAGE_ASPECT_COLOR_BIT && !hasPlanes;
    if (info.type != VK_IMAGE_TYPE_2D && !isColor) return false;
    if (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) return false;
    if (hasPlanes && (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)) return false;
    for (const UsageRow& row : kUsages)
        if ((info.usage & row.usage) != 0 && (features & row.feature) == 0 && !isOfViews)
            return false;
    return true;
}

bool hasSamples(const VkPhysicalDeviceImageFormatInfo2& info) {
    return info.type == VK_IMAGE_TYPE_2D && info.tiling == VK_IMAGE_TILING_OPTIMAL &&
           (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) == 0 &&
           (info.usage & VK_IMAGE_USAGE_STORAGE_BIT) == 0 && texelFormat(info.format).count != 0;
}

VkImageFormatProperties limitsOf(const VkPhysicalDeviceImageFormatInfo2& info) {
    const bool isFlat = info.type == VK_IMAGE_TYPE_1D, isDeep = info.type == VK_IMAGE_TYPE_3D;
    const uint32_t size = isDeep ? kMostDepth : kMostSize;
    const bool isLinear = info.tiling == VK_IMAGE_TILING_LINEAR || !planesOf(info.format).empty();
    return {
        {size, isFlat ? 1 : size, isDeep ? kMostDepth : 1},
        isLinear ? 1 : uint32_t(std::bit_width(size)),
        isDeep || isLinear ? 1 : kMostLayers,
        VK_SAMPLE_COUNT_1_BIT | (hasSamples(info) ? VkSampleCountFlags{VK_SAMPLE_COUNT_4_BIT} : 0),
        kHeapSize};
}

}  // namespace

void GetPhysicalDeviceFormatProperties2(PhysicalDevice& device, VkFormat format,
                                        VkFormatProperties2* out) {
    const bool any = device.settings.graphics;
    const VkFormatFeatureFlags2 linear = any ? imageFeatures(format, VK_IMAGE_TILING_LINEAR) : 0;
    const VkFormatFeatureFlags2 optimal = any ? imageFeatures(format, VK_IMAGE_TILING_OPTIMAL) : 0;
    const VkFormatFeatureFlags2 buffer = any ? bufferFeatures(format) : 0;
    constexpr VkFormatFeatureFlags2 kOfBoth = 0x7FFF'FFFF;
    out->formatProperties = {VkFormatFeatureFlags(linear & kOfBoth),
                             VkFormatFeatureFlags(optimal & kOfBoth),
                             VkFormatFeatureFlags(buffer & kOfBoth)};
    if (auto* more = find<VkFormatProperties3>(out->pNext)) {
        more->linearTilingFeatures = linear;
        more->optimalTilingFeatures = optimal;
        more->bufferFeatures = buffer;
    }
}

void GetPhysicalDeviceFormatProperties(PhysicalDevice& device, VkFormat format,
                                       VkFormatProperties* out) {
    VkFormatProperties2 all{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
    GetPhysicalDeviceFormatProperties2(device, format, &all);
    *out = all.formatProperties;
}

VkResult GetPhysicalDeviceImageFormatProperties2(PhysicalDevice& device,
                                                 const VkPhysicalDeviceImageFormatInfo2* info,
                                                 VkImageFormatProperties2* out) {
    out->imageFormatProperties = {};
    const auto* outside = find<VkPhysicalDeviceExternalImageFormatInfo>(info->pNext);
    const bool isShared = outside != nullptr && outside->handleType != 0;
    const auto sharing = isShared ? sharingOf(outside->handleType) : VkExternalMemoryProperties{};
    const bool isRefused = isShared && sharing.externalMemoryFeatures == 0;
    if (!device.settings.graphics || isRefused || !isPossible(*info))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    out->imageFormatProperties = limitsOf(*info);
    if (auto* converted = find<VkSamplerYcbcrConversionImageFormatProperties>(out->pNext))
        converted->combinedImageSamplerDescriptorCount = 1;
    if (auto* shared = find<VkExternalImageFormatProperties>(out->pNext))
        shared->externalMemoryProperties = sharing;
    return VK_SUCCESS;
}

VkResult GetPhysicalDeviceImageFormatProperties(PhysicalDevice& device, VkFormat format,
                                                VkImageType type, VkImageTiling tiling,
                                                VkImageUsageFlags usage, VkImageCreateFlags flags,
                                                VkImageFormatProperties* out) {
    const VkPhysicalDeviceImageFormatInfo2 info{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        nullptr,
        format,
        type,
        tiling,
        usage,
        flags};
    VkImageFormatProperties2 all{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    const VkResult result = GetPhysicalDeviceImageFormatProperties2(device, &info, &all);
    *out = all.imageFormatProperties;
    return result;
}

}  // namespace coopvk::reference::icd
