// SPDX-License-Identifier: Apache-2.0
//
// Copies between images that scale, and convert color (Vulkan, "Image Copies With Scaling"). Depth
// and stencil keep their bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "images/regions.hpp"

namespace coopvk::reference::icd {
namespace {

// Along one dimension. Offsets in the wrong order mirror.
struct Axis {
    int32_t source[2], target[2];
    uint32_t size = 1;  // of the source

    uint32_t first() const { return uint32_t(std::min(target[0], target[1])); }
    uint32_t last() const { return uint32_t(std::max(target[0], target[1])); }
    // Where the middle of a texel of the target is in the source.
    double at(uint32_t texel) const {
        const double scale = double(source[1] - source[0]) / double(target[1] - target[0]);
        return (texel + 0.5 - target[0]) * scale + source[0];
    }
};

// A texel of the source, and its part of the result.
struct Tap {
    uint32_t texel = 0;
    double weight = 1;
};
using Taps = std::array<Tap, 2>;

// "VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE", of the source image.
Taps tapsAt(const Axis& axis, uint32_t texel, bool isLinear) {
    const double at = axis.at(texel) - (isLinear ? 0.5 : 0), first = std::floor(at);
    const auto clamped = [&](double place) {
        return uint32_t(std::clamp(place, 0.0, double(axis.size - 1)));
    };
    const double share = isLinear ? at - first : 0;
    return {Tap{clamped(first), 1 - share}, Tap{clamped(first + 1), share}};
}

// "Integers are converted by first clamping to the representable range of the destination format".
void clampIntegers(const TexelFormat& format, Texel& texel) {
    if (!format.isInteger()) return;
    for (const TexelComponent& component : std::span(format.components).first(format.count)) {
        const bool isSigned = component.kind == TexelKind::kSint;
        const double least = isSigned ? -std::ldexp(1, component.bits - 1) : 0;
        const double most = std::ldexp(1, component.bits - (isSigned ? 1 : 0)) - 1;
        texel[component.channel] = std::clamp(texel[component.channel], least, most);
    }
}

struct Blit {
    Image *from, *to;
    uint32_t fromLevel, toLevel, fromLayer, toLayer;
    std::array<Axis, 3> axes;
    bool isLinear;
    std::optional<AspectBytes> aspect = {};  // of depth or stencil

    // The nearest texel's bytes.
    void copy(Execution& execution, uint32_t x, uint32_t y, uint32_t z) const {
        const uint32_t u = tapsAt(axes[0], x, false)[0].texel,
                       v = tapsAt(axes[1], y, false)[0].texel,
                       w = tapsAt(axes[2], z, false)[0].texel;
        const Range source = from->row(fromLevel, fromLayer, w, v, u, 1);
        const Range target = to->row(toLevel, toLayer, z, y, x, 1);
        copyRange(execution, part(source, aspect->first, aspect->count),
                  part(target, aspect->first, aspect->count), Use::kBlitRead, Use::kBlitWrite);
    }

    void write(Execution& execution, uint32_t x, uint32_t y, uint32_t z) const {
        if (aspect) return copy(execution, x, y, z);
        const Taps taps[] = {tapsAt(axes[0], x, isLinear), tapsAt(axes[1], y, isLinear),
                             tapsAt(axes[2], z, isLinear)};
        Texel sum{};
        bool isWritten = true;
        for (uint32_t corner = 0; corner < 8; ++corner) {
            const Tap &u = taps[0][corner & 1], &v = taps[1][corner >> 1 & 1],
                      &w = taps[2][corner >> 2];
            const double weight = u.weight * v.weight * w.weight;
            if (weight == 0) continue;
            const TexelFormat& format = from->format;
            const Range texel =
                from->row(fromLevel, fromLayer, w.texel, v.texel / format.blockHeight,
                          u.texel / format.blockWidth, 1);
            const Texel read = decoded(execution, texel, u.texel, v.texel);
            for (size_t c = 0; c < sum.size(); ++c) sum[c] += weight * read[c];
            isWritten &= texel.written == nullptr ||
                         std::memchr(texel.written, 0, size_t(texel.size)) == nullptr;
        }
        TexelBytes bytes{};
        clampIntegers(to->format, sum);
        encodeTexel(to->format, sum, bytes);
        const Range target = to->row(toLevel, toLayer, z, y, x, 1);
        followWrite(execution, Use::kBlitWrite, target);
        std::memcpy(target.data, bytes.data(), target.size);
        if (target.written != nullptr) std::memset(target.written, isWritten, target.size);
    }

 private:
    // A texel, or one in a block.
    Texel decoded(Execution& execution, const Range& texel, uint32_t x, uint32_t y) const {
        std::vector<std::byte> stale;
        TexelBytes bytes{};
        std::memcpy(bytes.data(), followedBytes(execution, Use::kBlitRead, texel, stale),
                    texel.size);
        const TexelFormat& format = from->format;
        if (!format.isCompressed()) return decodeTexel(format, bytes);
        return decodeBlock(format, bytes, x % format.blockWidth, y % format.blockHeight);
    }
};

void requireTexels(const Image& image, bool isSource) {
    require(image.format.count != 0 || (isSource && image.format.isCompressed()),
            "the device scales no images with planes, and none to compression");
    require(image.info.samples == 1, "texels with several samples are copied");
}

// Of depth or stencil.
std::optional<AspectBytes> aspectOf(const Image& source, const Image& target,
                                    VkImageAspectFlags aspect, bool isLinear) {
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT) return std::nullopt;
    require(source.info.format == target.info.format && !isLinear,
            "images of depth or stencil have one format, and the nearest texels");
    return bytesOf(source.info.format, aspect);
}

void requireFormats(const TexelFormat& a, const TexelFormat& b, bool isLinear) {
    const bool isInteger = a.isInteger() || b.isInteger();
    require(!isInteger || a.components[0].kind == b.components[0].kind,
            "integers become others only, with the same signedness");
    require(!isInteger || !isLinear, "integers have no linear filter");
}

std::array<Axis, 3> axesOf(const Image& source, const Image& target, const VkImageBlit& region) {
    const TexelLevel& from = source.level(region.srcSubresource.mipLevel);
    const TexelLevel& to = target.level(region.dstSubresource.mipLevel);
    const auto &s = region.srcOffsets, &t = region.dstOffsets;
    const auto axis = [](int32_t s0, int32_t s1, int32_t t0, int32_t t1, uint32_t size,
                         uint32_t most) {
        const auto isWithin = [](int32_t at, uint32_t end) {
            return at >= 0 && uint32_t(at) <= end;
        };
        require(
            isWithin(s0, size) && isWithin(s1, size) && isWithin(t0, most) && isWithin(t1, most),
            "it goes beyond the end of the image");
        return Axis{{s0, s1}, {t0, t1}, size};
    };
    return {axis(s[0].x, s[1].x, t[0].x, t[1].x, from.width, to.width),
            axis(s[0].y, s[1].y, t[0].y, t[1].y, from.height, to.height),
            axis(s[0].z, s[1].z, t[0].z, t[1].z, from.depth, to.depth)};
}

void recordBlit(CommandBuffer& commands, const Blit& blit) {
    const auto writeAll = [blit](Execution& execution) {
        const auto held = blit.from->hold(), heldTarget = blit.to->hold();
        beginAccesses(execution, Use::kBlitWrite);
        const auto& [u, v, w] = blit.axes;
        for (uint32_t z = w.first(); z < w.last(); ++z)
            for (uint32_t y = v.first(); y < v.last(); ++y)
                for (uint32_t x = u.first(); x < u.last(); ++x) blit.write(execution, x, y, z);
    };
    record(commands, writeAll, blit.from, blit.to);
}

template <typename Region>
void blitAll(CommandBuffer& commands, Image& source, Image& target, std::span<const Region> regions,
             VkFilter filter) {
    source.requireUsage(VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    target.requireUsage(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    require(filter == VK_FILTER_NEAREST || filter == VK_FILTER_LINEAR, "the filter is another one");
    for (const Region& each : regions) {
        VkImageBlit region{each.srcSubresource, {}, each.dstSubresource, {}};
        std::ranges::copy(each.srcOffsets, region.srcOffsets);
        std::ranges::copy(each.dstOffsets, region.dstOffsets);
        const auto &from = region.srcSubresource, &to = region.dstSubresource;
        requireTexels(source, true);
        requireTexels(target, false);
        require(from.aspectMask == to.aspectMask, "the aspects differ");
        const bool isLinear = filter == VK_FILTER_LINEAR;
        requireFormats(source.format, target.format, isLinear);
        const uint32_t layers = source.layersOf(from.baseArrayLayer, from.layerCount);
        require(layers == target.layersOf(to.baseArrayLayer, to.layerCount),
                "the images have not as many layers");
        const auto axes = axesOf(source, target, region);
        for (uint32_t layer = 0; layer < layers; ++layer)
            recordBlit(commands, {&source, &target, from.mipLevel, to.mipLevel,
                                  from.baseArrayLayer + layer, to.baseArrayLayer + layer, axes,
                                  isLinear, aspectOf(source, target, from.aspectMask, isLinear)});
    }
}

}  // namespace

void CmdBlitImage(CommandBuffer& commands, Image* source, VkImageLayout, Image* target,
                  VkImageLayout, uint32_t count, const VkImageBlit* regions, VkFilter filter) {
    blitAll(commands, *source, *target, listOf(regions, count), filter);
}
void CmdBlitImage2(CommandBuffer& commands, const VkBlitImageInfo2* info) {
    blitAll(commands, theObject(info->srcImage), theObject(info->dstImage),
            listOf(info->pRegions, info->regionCount), info->filter);
}

}  // namespace coopvk::reference::icd
