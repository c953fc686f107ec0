// SPDX-License-Identifier: Apache-2.0
//
// Formats: their components, what the device does with them, and the queries of both.
#include <vulkan/utility/vk_format_utils.h>

#include <cstring>

#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

// Formats with depth or stencil: where these lie in a texel, and the size of both.
struct DepthRow {
    VkFormat format;
    uint32_t bytes;
    TexelKind kind;
    uint8_t depthBits;  // from bit 0 on
    uint8_t stencilFirst, stencilBits;
    uint32_t packed;  // bytes of depth in a buffer
};
constexpr DepthRow kDepthRows[] = {
    {VK_FORMAT_D16_UNORM, 2, TexelKind::kUnorm, 16, 0, 0, 2},
    {VK_FORMAT_X8_D24_UNORM_PACK32, 4, TexelKind::kUnorm, 24, 0, 0, 4},
    {VK_FORMAT_D32_SFLOAT, 4, TexelKind::kFloat, 32, 0, 0, 4},
    {VK_FORMAT_S8_UINT, 1, TexelKind::kUint, 0, 0, 8, 0},
    {VK_FORMAT_D16_UNORM_S8_UINT, 3, TexelKind::kUnorm, 16, 16, 8, 2},
    {VK_FORMAT_D24_UNORM_S8_UINT, 4, TexelKind::kUnorm, 24, 24, 8, 4},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, 8, TexelKind::kFloat, 32, 32, 8, 4},
};

const DepthRow* depthRow(VkFormat format) {
    const auto* row = std::ranges::find(kDepthRows, format, &DepthRow::format);
    return row != std::end(kDepthRows) ? row : nullptr;
}

TexelFormat depthFormat(const DepthRow& row, VkImageAspectFlags aspects) {
    TexelFormat format{.bytes = row.bytes};
    const auto add = [&](const TexelComponent& component) {
        format.components[format.count++] = component;
    };
    if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) && row.depthBits != 0)
        add({row.kind, 0, 0, row.depthBits});
    else if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) && row.stencilBits != 0)
        add({TexelKind::kUint, 0, row.stencilFirst, row.stencilBits});
    return format;
}

// Formats with several planes: those that Vulkan demands, in which chroma has half the size. Luma
// is green, and chroma blue and red.
constexpr TexelFormat planeWith(std::initializer_list<uint8_t> channels) {
    TexelFormat format{.bytes = uint32_t(channels.size())};
    for (const uint8_t channel : channels) {
        format.components[format.count] = {TexelKind::kUnorm, channel, uint8_t(8 * format.count),
                                           8};
        ++format.count;
    }
    return format;
}
constexpr TexelFormat kThreePlanes[] = {planeWith({1}), planeWith({2}), planeWith({0})};
constexpr TexelFormat kTwoPlanes[] = {planeWith({1}), planeWith({2, 0})};

TexelKind kindOf(VkFormat format) {
    struct Row {
        bool (*is)(VkFormat);
        TexelKind kind;
    };
    constexpr Row kRows[] = {
        {vkuFormatIsSNORM, TexelKind::kSnorm},     {vkuFormatIsUSCALED, TexelKind::kUscaled},
        {vkuFormatIsSSCALED, TexelKind::kSscaled}, {vkuFormatIsUINT, TexelKind::kUint},
        {vkuFormatIsSINT, TexelKind::kSint},       {vkuFormatIsSFLOAT, TexelKind::kFloat},
        {vkuFormatIsUFLOAT, TexelKind::kUfloat},   {vkuFormatIsSRGB, TexelKind::kSrgb},
    };
    if (format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32) return TexelKind::kShared;
    for (const Row& row : kRows)
        if (row.is(format)) return row.kind;
    return TexelKind::kUnorm;
}

struct BlockRow {
    VkFormat format;
    BlockKind kind;
};
constexpr BlockRow kBlockRows[] = {
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, BlockKind::kBc1Opaque},
    {VK_FORMAT_BC1_RGB_SRGB_BLOCK, BlockKind::kBc1Opaque},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, BlockKind::kBc1},
    {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, BlockKind::kBc1},
    {VK_FORMAT_BC2_UNORM_BLOCK, BlockKind::kBc2},
    {VK_FORMAT_BC2_SRGB_BLOCK, BlockKind::kBc2},
    {VK_FORMAT_BC3_UNORM_BLOCK, BlockKind::kBc3},
    {VK_FORMAT_BC3_SRGB_BLOCK, BlockKind::kBc3},
    {VK_FORMAT_BC4_UNORM_BLOCK, BlockKind::kBc4},
    {VK_FORMAT_BC4_SNORM_BLOCK, BlockKind::kBc4Signed},
    {VK_FORMAT_BC5_UNORM_BLOCK, BlockKind::kBc5},
    {VK_FORMAT_BC5_SNORM_BLOCK, BlockKind::kBc5Signed},
    {VK_FORMAT_BC6H_UFLOAT_BLOCK, BlockKind::kBc6h},
    {VK_FORMAT_BC6H_SFLOAT_BLOCK, BlockKind::kBc6hSigned},
    {VK_FORMAT_BC7_UNORM_BLOCK, BlockKind::kBc7},
    {VK_FORMAT_BC7_SRGB_BLOCK, BlockKind::kBc7},
};

// Of another format: no such.
TexelFormat blockFormat(VkFormat vulkan) {
    const auto* const row = std::ranges::find(kBlockRows, vulkan, &BlockRow::format);
    if (row == std::end(kBlockRows)) return {};
    const VKU_FORMAT_INFO info = vkuGetFormatInfo(vulkan);
    return {.bytes = info.texel_block_size,
            .blockWidth = info.block_extent.width,
            .blockHeight = info.block_extent.height,
            .block = row->kind,
            .isSrgb = vkuFormatIsSRGB(vulkan)};
}

uint8_t channelOf(VKU_FORMAT_COMPONENT_TYPE type) {
    return uint8_t(type - VKU_FORMAT_COMPONENT_TYPE_R);
}

// The last component of a packed format is in the lowest bits.
TexelFormat colorFormat(VkFormat vulkan) {
    const VKU_FORMAT_INFO info = vkuGetFormatInfo(vulkan);
    const TexelKind kind = kindOf(vulkan);
    TexelFormat format{.bytes = info.texel_block_size, .count = info.component_count};
    uint32_t first = 0;
    for (uint32_t i = 0; i < format.count; ++i) {
        const uint32_t at = vkuFormatIsPacked(vulkan) ? format.count - 1 - i : i;
        const auto [type, bits] = info.components[at];
        const bool isAlpha = type == VKU_FORMAT_COMPONENT_TYPE_A;
        const TexelKind own = isAlpha && kind == TexelKind::kSrgb ? TexelKind::kUnorm : kind;
        format.components[i] = {own, channelOf(type), uint8_t(first), uint8_t(bits)};
        first += bits;
        if (bits > 32) return {};  // of 64 bits
    }
    if (kind == TexelKind::kShared) {
        format.count = 3;
        for (uint8_t i = 0; i < 3; ++i) format.components[i] = {kind, i, uint8_t(9 * i), 9};
        return format;
    }
    return first == 8 * format.bytes ? format : TexelFormat{};
}

constexpr VkFormatFeatureFlags2 kMoved =
    VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags2 kScaled =
    VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
constexpr VkFormatFeatureFlags2 kStored = VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT |
                                          VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                                          VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;

bool hasAtomics(VkFormat format) {
    return format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT;
}

constexpr VkFormatFeatureFlags2 kConverted =
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
    VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |
    VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER_BIT;

}  // namespace

std::span<const TexelFormat> planesOf(VkFormat format) {
    if (format == VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM) return kThreePlanes;
    if (format == VK_FORMAT_G8_B8R8_2PLANE_420_UNORM) return kTwoPlanes;
    return {};
}

uint32_t planeOf(VkImageAspectFlags aspect) {
    return aspect == VK_IMAGE_ASPECT_PLANE_1_BIT   ? 1
           : aspect == VK_IMAGE_ASPECT_PLANE_2_BIT ? 2
                                                   : 0;
}

TexelFormat texelFormat(VkFormat vulkan, VkImageAspectFlags aspects) {
    if (const DepthRow* row = depthRow(vulkan)) return depthFormat(*row, aspects);
    if (!planesOf(vulkan).empty()) return {.bytes = 1};
    if (vkuFormatIsUndefined(vulkan) || vkuFormatIsMultiplane(vulkan) ||
        vkuFormatIsSinglePlane_422(vulkan))
        return {};
    return vkuFormatIsCompressed(vulkan) ? blockFormat(vulkan) : colorFormat(vulkan);
}

VkImageAspectFlags aspectsOf(VkFormat format) {
    const DepthRow* row = depthRow(format);
    if (row == nullptr) return VK_IMAGE_ASPECT_COLOR_BIT;
    return (row->depthBits != 0 ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT} : 0) |
           (row->stencilBits != 0 ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT} : 0);
}

AspectBytes bytesOf(VkFormat format, VkImageAspectFlags aspect) {
    const DepthRow* row = depthRow(format);
    const auto planes = planesOf(format);
    const uint32_t bytes =
        planes.empty() ? texelFormat(format).bytes : planes[planeOf(aspect)].bytes;
    const VkImageAspectFlags all = aspectsOf(format);
    if (row == nullptr || (all != VK_IMAGE_ASPECT_STENCIL_BIT && (aspect & all) == all &&
                           (all & VK_IMAGE_ASPECT_STENCIL_BIT) != 0))
        return {0, bytes, bytes};
    if (aspect & VK_IMAGE_ASPECT_STENCIL_BIT) return {row->stencilFirst / 8u, 1, 1};
    return {0, row->depthBits / 8u, row->packed};
}

VkFormatFeatureFlags2 imageFeatures(VkFormat vulkan, VkImageTiling tiling) {
    const TexelFormat format = texelFormat(vulkan);
    if (format.bytes == 0) return 0;
    if (!planesOf(vulkan).empty()) return kMoved | kConverted;
    VkFormatFeatureFlags2 features = kMoved | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT;
    if (!format.isInteger())
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
    if (format.isCompressed())
        return tiling == VK_IMAGE_TILING_LINEAR ? 0 : features | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT;
    const bool isOptimal = tiling != VK_IMAGE_TILING_LINEAR;
    if (aspectsOf(vulkan) & VK_IMAGE_ASPECT_DEPTH_BIT)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
    if (aspectsOf(vulkan) != VK_IMAGE_ASPECT_COLOR_BIT)
        return isOptimal ? features | kScaled | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT
                         : 0;
    features |= kScaled;
    if (!vkuFormatIsSRGB(vulkan)) features |= kStored;
    if (hasAtomics(vulkan)) features |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
    if (isOptimal) features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
    if (isOptimal && !format.isInteger())
        features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT;
    return features;
}

VkFormatFeatureFlags2 bufferFeatures(VkFormat vulkan) {
    const TexelFormat format = texelFormat(vulkan);
    if (format.count == 0 || depthRow(vulkan) != nullptr) return 0;
    VkFormatFeatureFlags2 features = VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT |
                                     VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT |
                                     VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                                     VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
    if (!vkuFormatIsSRGB(vulkan)) features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;
    if (hasAtomics(vulkan)) features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
    return features;
}

}  // namespace coopvk::reference::icd
