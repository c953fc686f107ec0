// SPDX-License-Identifier: Apache-2.0
//
// Images, texel buffers and samplers as shaders see them, and the numbers of texels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

// How the bits of a component become a number (Vulkan, "Texel Input Format Conversion").
enum class TexelKind : uint8_t {
    kUnorm,
    kSnorm,
    kUscaled,
    kSscaled,
    kUint,
    kSint,
    kFloat,   // of 16 or 32 bits
    kUfloat,  // of 10 or 11 bits, without a sign
    kSrgb,
    kShared,  // nine bits, with the exponent in the five upper bits of the texel
};

struct TexelComponent {
    TexelKind kind = TexelKind::kUnorm;
    uint8_t channel = 0;          // 0 to 3: red, green, blue, alpha
    uint8_t first = 0, bits = 0;  // in the texel
};

// How blocks of 4 x 4 texels hold them.
enum class BlockKind : uint8_t {
    kNone,
    kBc1Opaque,
    kBc1,
    kBc2,
    kBc3,
    kBc4,
    kBc4Signed,
    kBc5,
    kBc5Signed,
    kBc6h,
    kBc6hSigned,
    kBc7
};

struct TexelFormat {
    uint32_t bytes = 0;  // of a texel, or of a block of a compressed format; 0: no such format
    uint32_t blockWidth = 1, blockHeight = 1;
    uint32_t count = 0;  // components; of a compressed format: 0
    std::array<TexelComponent, 4> components = {};
    BlockKind block = BlockKind::kNone;
    bool isSrgb = false;  // of blocks

    bool isCompressed() const { return blockWidth > 1; }
    bool isInteger() const {
        return count != 0 &&
               (components[0].kind == TexelKind::kUint || components[0].kind == TexelKind::kSint);
    }
};

inline constexpr uint32_t kMostTexelBytes = 16;
using TexelBytes = std::array<std::byte, kMostTexelBytes>;
// Of each channel. Doubles hold all numbers of all formats.
using Texel = std::array<double, 4>;

// Channels that the format lacks are 0, alpha is 1.
Texel decodeTexel(const TexelFormat& format, const TexelBytes& bytes);
// The same of a texel in a block, column and row.
Texel decodeBlock(const TexelFormat& format, const TexelBytes& bytes, uint32_t x, uint32_t y);
// A color with those channels that the format has; others as above.
Texel withChannelsOf(const TexelFormat& format, const Texel& color);
double fromSrgb(double color);
// Other bits stay as they are.
void encodeTexel(const TexelFormat& format, const Texel& texel, TexelBytes& bytes);

// A level of an image: places of its texels, or of its blocks, in bytes.
struct TexelLevel {
    uint64_t offset = 0;
    uint64_t row = 0, slice = 0;
    uint32_t width = 1, height = 1, depth = 1;  // in texels
};

// What a component of a view shows: a channel, or a constant.
inline constexpr uint8_t kShowsZero = 4, kShowsOne = 5;

// A view of an image, or of a texel buffer.
struct TexelView {
    Range range;  // that the offsets of levels are in
    TexelFormat format;
    std::vector<TexelLevel> levels;
    uint64_t layer = 0;  // bytes from one layer to the next
    uint32_t layers = 1;
    uint32_t samples = 1;
    std::array<uint8_t, 4> shows = {0, 1, 2, 3};
    bool isNull = false;  // a null descriptor: reads are zeros, writes do nothing
    // Of an image with several, each with its channels; `levels` has the size of all.
    std::vector<TexelView> planes = {};
};

enum class Wrap : uint8_t { kRepeat, kMirror, kEdge, kBorder, kMirrorOnce };
// As VkCompareOp.
enum class Compare : uint8_t {
    kNever,
    kLess,
    kEqual,
    kLessEqual,
    kGreater,
    kNotEqual,
    kGreaterEqual,
    kAlways
};

// What a filter makes of several texels, as VkSamplerReductionMode numbers it.
enum class Reduction : uint8_t { kMean, kLeast, kMost };

// What colors of an image with planes are, as VkSamplerYcbcrModelConversion numbers it.
enum class ColorModel : uint8_t { kRgb, kYcbcr, k709, k601, k2020 };

// Vulkan, "Sampler Y'CBCR Conversion".
struct ColorConversion {
    ColorModel model = ColorModel::kRgb;
    bool isNarrow = false;  // the range
    std::array<uint8_t, 4> shows = {0, 1, 2, 3};
    std::array<bool, 2> isMidpoint = {};  // where chroma is, along x and y; else at even texels
    bool filtersLinearly = false;         // chroma
};

struct SamplerState {
    bool magnifiesLinearly = false, minifiesLinearly = false, mixesLevels = false;
    std::array<Wrap, 3> wraps = {};
    double bias = 0, least = 0, most = 0;  // levels of detail
    bool isUnnormalized = false;
    Reduction reduction = Reduction::kMean;
    bool compares = false;
    Compare compare = Compare::kNever;
    Texel border = {};
    std::optional<ColorConversion> conversion = {};
};

}  // namespace coopvk::reference
