// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace coopvk::demo {
namespace {

using Colour = std::array<float, 3>;

Colour mix(const Colour& a, const Colour& b, float t) {
    t = std::clamp(t, 0.0f, 1.0f);
    return {a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t};
}

// 0 to the left of the edge, 1 to the right of it, smooth over a pixel or two.
float edge(float distance) { return std::clamp(distance * 60 + 0.5f, 0.0f, 1.0f); }

Colour sky(float x, float y) {
    const Colour blue = {0.10f, 0.16f, 0.42f}, pink = {0.93f, 0.45f, 0.36f};
    const Colour sun = {1.00f, 0.90f, 0.55f};
    const float distance = std::hypot(x - 0.64f, y - 0.42f);
    Colour colour = mix(blue, pink, y / 0.6f);
    colour = mix(colour, sun, 0.6f * std::exp(-distance * 6));
    return mix(colour, sun, edge(0.11f - distance));
}

Colour pixel(float x, float y) {
    constexpr float kHorizon = 0.6f;
    if (y > kHorizon) {
        // The sea mirrors the sky, darker, with waves.
        const float wave = 0.5f + 0.5f * std::sin((y - kHorizon) * 95 + std::sin(x * 14) * 1.5f);
        const Colour mirrored = sky(x, 2 * kHorizon - y);
        return mix(mix(mirrored, {0.04f, 0.10f, 0.22f}, 0.45f), {0.05f, 0.16f, 0.30f}, 0.5f * wave);
    }
    const float far = 0.50f + 0.05f * std::sin(x * 9 + 0.8f) + 0.02f * std::sin(x * 23);
    const float near = 0.56f + 0.05f * std::sin(x * 5 + 3.9f);
    Colour colour = mix(sky(x, y), {0.42f, 0.25f, 0.40f}, edge(y - far));
    return mix(colour, {0.16f, 0.12f, 0.24f}, edge(y - near));
}

}  // namespace

Pixels drawTarget(uint32_t width) {
    Pixels pixels;
    for (uint32_t row = 0; row < width; ++row) {
        for (uint32_t column = 0; column < width; ++column) {
            const auto size = static_cast<float>(width);
            const Colour colour = pixel((static_cast<float>(column) + 0.5f) / size,
                                        (static_cast<float>(row) + 0.5f) / size);
            pixels.insert(pixels.end(), colour.begin(), colour.end());
        }
    }
    return pixels;
}

double meanSquaredError(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += difference * difference;
    }
    return sum / static_cast<double>(a.size());
}

void writePng(const std::string& path, const std::vector<Pixels>& pictures, uint32_t width,
              uint32_t zoom) {
    const auto count = static_cast<uint32_t>(pictures.size());
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.format = PNG_FORMAT_RGB;
    image.width = count * width * zoom;
    image.height = width * zoom;
    std::vector<png_byte> bytes;
    for (uint32_t y = 0; y < image.height; ++y) {
        for (uint32_t x = 0; x < image.width; ++x) {
            const Pixels& picture = pictures[x / (width * zoom)];
            const uint32_t pixel = y / zoom * width + x % (width * zoom) / zoom;
            for (uint32_t c = 0; c < 3; ++c) {
                const float value = std::clamp(picture[pixel * 3 + c], 0.0f, 1.0f);
                bytes.push_back(static_cast<png_byte>(std::lround(value * 255)));
            }
        }
    }
    if (png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr) == 0) {
        throw std::runtime_error(path + ": " + image.message);
    }
}

}  // namespace coopvk::demo
