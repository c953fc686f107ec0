// SPDX-License-Identifier: Apache-2.0
//
// Texels of BC1 to BC5 (Khronos Data Format Specification, "S3TC Compressed Texture Image Formats",
// "RGTC Compressed Texture Image Formats"), and of all blocks.
#include "images/blocks.hpp"

#include <algorithm>
#include <span>

namespace coopvk::reference {
namespace {

using images::BlockBits;

constexpr uint32_t kHalf = 64;  // bits: BC2, BC3 and BC5 have two halves

Texel color565(uint32_t bits) {
    return {double(bits >> 11) / 31, double(bits >> 5 & 63) / 63, double(bits & 31) / 31, 1};
}

Texel mixed(const Texel& a, const Texel& b, double share) {
    Texel result;
    for (size_t c = 0; c < result.size(); ++c) result[c] = a[c] + (b[c] - a[c]) * share;
    return result;
}

// BC1. `hasThird`: "as though color0 > color1".
Texel colorAt(const BlockBits& block, uint32_t first, uint32_t texel, bool hasThird,
              double alphaOfBlack) {
    const uint32_t a = block.at(first, 16), b = block.at(first + 16, 16);
    const uint32_t code = block.at(first + 32 + 2 * texel, 2);
    if (code < 2) return color565(code == 0 ? a : b);
    if (hasThird || a > b) return mixed(color565(a), color565(b), (code - 1) / 3.0);
    if (code == 2) return mixed(color565(a), color565(b), 0.5);
    return {0, 0, 0, alphaOfBlack};
}

// The alpha of BC3, a channel of BC4 and BC5.
double channelAt(const BlockBits& block, uint32_t first, uint32_t texel, bool isSigned) {
    const auto number = [&](uint32_t bit) {
        const uint32_t bits = block.at(bit, 8);
        return isSigned ? double(int8_t(bits)) : double(bits);
    };
    const double most = isSigned ? 127 : 255, least = isSigned ? -1 : 0;
    const double a = number(first), b = number(first + 8);
    const auto normal = [&](double of) { return std::max(of / most, least); };
    const uint32_t code = block.at(first + 16 + 3 * texel, 3);
    if (code < 2) return normal(code == 0 ? a : b);
    const uint32_t steps = a > b ? 7 : 5;
    if (code > steps) return code == 6 ? least : 1;
    return normal(a) + (normal(b) - normal(a)) * (code - 1) / steps;
}

Texel decoded(BlockKind kind, const BlockBits& block, uint32_t texel) {
    const bool isSigned = kind == BlockKind::kBc4Signed || kind == BlockKind::kBc5Signed;
    Texel result = {0, 0, 0, 1};
    switch (kind) {
        case BlockKind::kBc1Opaque:
            return colorAt(block, 0, texel, false, 1);
        case BlockKind::kBc1:
            return colorAt(block, 0, texel, false, 0);
        case BlockKind::kBc2:
            result = colorAt(block, kHalf, texel, true, 1);
            result[3] = double(block.at(4 * texel, 4)) / 15;
            return result;
        case BlockKind::kBc3:
            result = colorAt(block, kHalf, texel, true, 1);
            result[3] = channelAt(block, 0, texel, false);
            return result;
        case BlockKind::kBc5:
        case BlockKind::kBc5Signed:
            result[1] = channelAt(block, kHalf, texel, isSigned);
            [[fallthrough]];
        case BlockKind::kBc4:
        case BlockKind::kBc4Signed:
            result[0] = channelAt(block, 0, texel, isSigned);
            return result;
        case BlockKind::kBc6h:
        case BlockKind::kBc6hSigned:
            return images::bc6hTexel(block, kind == BlockKind::kBc6hSigned, texel);
        case BlockKind::kBc7:
            return images::bc7Texel(block, texel);
        case BlockKind::kNone:
            break;
    }
    return result;
}

// Channels of a format of blocks: the first ones.
uint32_t channelsOf(BlockKind kind) {
    switch (kind) {
        case BlockKind::kBc4:
        case BlockKind::kBc4Signed:
            return 1;
        case BlockKind::kBc5:
        case BlockKind::kBc5Signed:
            return 2;
        case BlockKind::kBc1Opaque:
        case BlockKind::kBc6h:
        case BlockKind::kBc6hSigned:
            return 3;
        default:
            return 4;
    }
}

}  // namespace

Texel decodeBlock(const TexelFormat& format, const TexelBytes& bytes, uint32_t x, uint32_t y) {
    Texel texel = decoded(format.block, BlockBits(bytes), y * format.blockWidth + x);
    if (format.isSrgb)
        for (double& color : std::span(texel).first(3)) color = fromSrgb(color);
    return texel;
}

Texel withChannelsOf(const TexelFormat& format, const Texel& color) {
    Texel texel = {0, 0, 0, 1};
    if (format.block != BlockKind::kNone)
        std::copy_n(color.begin(), channelsOf(format.block), texel.begin());
    for (const TexelComponent& component : std::span(format.components).first(format.count))
        texel[component.channel] = color[component.channel];
    return texel;
}

}  // namespace coopvk::reference
