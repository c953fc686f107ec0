// SPDX-License-Identifier: Apache-2.0
//
// Samples of images whose planes have luma and chroma (Vulkan, "Chroma Reconstruction", "Sampler
// Y'CBCR Range Expansion" and "Sampler Y'CBCR Model Conversion"). Reconstruction is implicit: a
// filter for luma, and one for chroma.
#include "images/image_access.hpp"

namespace coopvk::reference::images {
namespace {

constexpr uint32_t kRed = 0, kGreen = 1, kBlue = 2;

// The shares of red and blue in luma.
struct Shares {
    double red = 0, blue = 0;
};
Shares sharesOf(ColorModel model) {
    switch (model) {
        case ColorModel::k709:
            return {0.2126, 0.0722};
        case ColorModel::k601:
            return {0.299, 0.114};
        default:
            return {0.2627, 0.0593};
    }
}

// Where chroma is, whose plane has half the size: of luma's coordinate u, "0.5 * (u + 0.5)" if it
// is at even texels, or "0.5 * u".
SampleOperands inChroma(const SampleOperands& operands, const ColorConversion& conversion,
                        const TexelLevel& luma) {
    SampleOperands moved = operands;
    if (!conversion.isMidpoint[0]) moved.at[0] += 0.5 / luma.width;
    if (!conversion.isMidpoint[1]) moved.at[1] += 0.5 / luma.height;
    return moved;
}

// Of 8 bits, "n" in the text.
Texel expanded(const Texel& color, bool isNarrow) {
    Texel result = color;
    if (isNarrow) {
        result[kGreen] = (color[kGreen] * 255 - 16) / 219;
        for (const uint32_t c : {kRed, kBlue}) result[c] = (color[c] * 255 - 128) / 224;
    } else {
        for (const uint32_t c : {kRed, kBlue}) result[c] = color[c] - 128.0 / 255;
    }
    return result;
}

// Luma is in green, the difference of red to it in red, that of blue in blue.
Texel toRgb(const Texel& color, ColorModel model) {
    const auto [red, blue] = sharesOf(model);
    const double r = 2 * (1 - red) * color[kRed], b = 2 * (1 - blue) * color[kBlue];
    const double green = 1 - red - blue, luma = color[kGreen];
    return {luma + r, luma - (red * r + blue * b) / green, luma + b, color[3]};
}

}  // namespace

Texel sampleOfPlanes(const ImageAccess& image, const SamplerState& sampler,
                     const SampleOperands& operands, bool& defined) {
    if (!sampler.conversion) {
        image.s.report(kCheckProgram, image.lane,
                       "samples an image with several planes by a sampler that does not convert");
        return {};
    }
    const ColorConversion& conversion = *sampler.conversion;
    SamplerState forChroma = sampler;
    forChroma.magnifiesLinearly = forChroma.minifiesLinearly = conversion.filtersLinearly;
    const SampleOperands moved = inChroma(operands, conversion, image.view.levels[0]);
    Texel color = {0, 0, 0, 1};
    for (const TexelView& plane : image.view.planes) {
        const ImageAccess access{image.s, plane, image.lane, image.access};
        const bool isLuma = &plane == &image.view.planes.front();
        const Texel part = isLuma ? sample(access, sampler, operands, defined)
                                  : sample(access, forChroma, moved, defined);
        for (uint32_t c = 0; c < plane.format.count; ++c) {
            const uint8_t channel = plane.format.components[c].channel;
            color[channel] = part[channel];
        }
    }
    color = showing(conversion.shows, color);
    if (conversion.model == ColorModel::kRgb) return color;
    color = expanded(color, conversion.isNarrow);
    return conversion.model == ColorModel::kYcbcr ? color : toRgb(color, conversion.model);
}

}  // namespace coopvk::reference::images
