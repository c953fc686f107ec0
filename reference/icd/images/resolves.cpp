// SPDX-License-Identifier: Apache-2.0
//
// vkCmdResolveImage: of integers the first sample, of other numbers the mean of all.
#include <cstring>

#include "images/regions.hpp"

namespace coopvk::reference::icd {
namespace {

Texel resolved(const TexelFormat& format, const std::byte* samples, uint32_t count) {
    Texel sum{};
    for (uint32_t i = 0; i < (format.isInteger() ? 1 : count); ++i) {
        TexelBytes bytes{};
        std::memcpy(bytes.data(), samples + size_t{i} * format.bytes, format.bytes);
        const Texel texel = decodeTexel(format, bytes);
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += texel[c];
    }
    if (!format.isInteger())
        for (double& channel : sum) channel /= count;
    return sum;
}

void resolveRow(Execution& execution, const Range& from, const Range& to, const TexelFormat& format,
                uint32_t samples) {
    std::vector<std::byte> stale;
    const std::byte* read = followedBytes(execution, Use::kBlitRead, from, stale);
    followWrite(execution, Use::kBlitWrite, to);
    const uint64_t stride = uint64_t{format.bytes} * samples;
    for (uint64_t i = 0; i * format.bytes < to.size; ++i) {
        TexelBytes bytes{};
        encodeTexel(format, resolved(format, read + i * stride, samples), bytes);
        std::memcpy(to.data + i * format.bytes, bytes.data(), format.bytes);
        if (to.written == nullptr) continue;
        const bool isWritten =
            from.written == nullptr || std::memchr(from.written + i * stride, 0, stride) == nullptr;
        std::memset(to.written + i * format.bytes, isWritten, format.bytes);
    }
}

template <typename Part>
void resolveAll(CommandBuffer& commands, Image& source, Image& target,
                std::span<const Part> parts) {
    source.requireUsage(VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    target.requireUsage(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    require(source.info.samples > 1 && target.info.samples == 1,
            "an image with several samples is resolved to one that has one");
    require(source.info.format == target.info.format, "the images differ in format");
    require(source.format.count != 0 && aspectsOf(source.info.format) == VK_IMAGE_ASPECT_COLOR_BIT,
            "the device resolves images of color only");
    for (const Part& each : parts) {
        const Region from = regionOf(source, each.srcSubresource, each.srcOffset, each.extent);
        const Region to = regionOf(target, each.dstSubresource, each.dstOffset, each.extent);
        require(from.slices == to.slices, "the images have not as many layers");
        const auto resolve = [=](Execution& execution) {
            const auto held = from.image->hold(), heldTarget = to.image->hold();
            beginAccesses(execution, Use::kBlitWrite);
            for (uint32_t s = 0; s < from.slices; ++s)
                for (uint32_t n = 0; n < from.rows; ++n)
                    resolveRow(execution, from.row(s, n), to.row(s, n), to.image->format,
                               from.image->info.samples);
        };
        record(commands, resolve, &source, &target);
    }
}

}  // namespace

void CmdResolveImage(CommandBuffer& commands, Image* source, VkImageLayout, Image* target,
                     VkImageLayout, uint32_t count, const VkImageResolve* parts) {
    resolveAll(commands, *source, *target, listOf(parts, count));
}
void CmdResolveImage2(CommandBuffer& commands, const VkResolveImageInfo2* info) {
    resolveAll(commands, theObject(info->srcImage), theObject(info->dstImage),
               listOf(info->pRegions, info->regionCount));
}

}  // namespace coopvk::reference::icd
