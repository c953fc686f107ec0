// SPDX-License-Identifier: Apache-2.0
//
// Numbers of texels (Vulkan, "Fixed-Point Data Conversions", "Floating-Point Format Conversions",
// "Texel Input Format Conversion").
#include "coopvk_reference/texels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numbers/exact.hpp"

namespace coopvk::reference {
namespace {

using numbers::lowBits;
using numbers::Number;

constexpr int kSmallBias = 15, kSmallExponentBits = 5;  // of floats of 10, 11 and 9 bits
constexpr uint32_t kSharedMantissa = 9;

uint64_t bitsAt(const TexelBytes& bytes, uint32_t first, uint32_t count) {
    uint64_t word = 0;
    const uint32_t begin = first / 8, end = (first + count + 7) / 8;
    std::memcpy(&word, bytes.data() + begin, end - begin);
    return word >> first % 8 & lowBits(count);
}

void setBitsAt(TexelBytes& bytes, uint32_t first, uint32_t count, uint64_t bits) {
    uint64_t word = 0;
    const uint32_t begin = first / 8, end = (first + count + 7) / 8;
    std::memcpy(&word, bytes.data() + begin, end - begin);
    const uint64_t mask = lowBits(count) << first % 8;
    word = (word & ~mask) | (bits << first % 8 & mask);
    std::memcpy(bytes.data() + begin, &word, end - begin);
}

int64_t signedOf(uint64_t bits, uint32_t width) {
    return int64_t(bits << (64 - width)) >> (64 - width);
}

// Five bits of exponent, and no sign.
double decodeSmall(uint64_t bits, uint32_t width) {
    const uint32_t mantissaBits = width - kSmallExponentBits;
    const uint64_t mantissa = bits & lowBits(mantissaBits), exponent = bits >> mantissaBits;
    if (exponent == lowBits(kSmallExponentBits)) return mantissa == 0 ? HUGE_VAL : NAN;
    const auto significand = double(mantissa | (exponent != 0 ? 1ull << mantissaBits : 0));
    return std::ldexp(significand, std::max(int(exponent), 1) - kSmallBias - int(mantissaBits));
}

// Rounds to nearest even; what is too large becomes the largest number, negative numbers zero.
uint64_t encodeSmall(double value, uint32_t width) {
    const uint32_t mantissaBits = width - kSmallExponentBits;
    const uint64_t infinity = lowBits(kSmallExponentBits) << mantissaBits;
    if (std::isnan(value)) return infinity | 1;
    if (value <= 0) return 0;
    if (std::isinf(value)) return infinity;
    int exponent = 0;
    std::frexp(value, &exponent);  // value = 0.1... * 2^exponent
    exponent = std::max(exponent - 1, 1 - kSmallBias);
    const double significand = std::nearbyint(std::ldexp(value, int(mantissaBits) - exponent));
    // One that becomes 2^(mantissaBits + 1) carries into the exponent; a denormal has exponent 0.
    const double bits = significand + std::ldexp(exponent + kSmallBias - 1, int(mantissaBits));
    return std::min(uint64_t(bits), infinity - 1);
}

double toSrgb(double c) {
    return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
}

double decode(const TexelComponent& component, uint64_t bits, uint32_t exponent) {
    const uint32_t width = component.bits;
    const auto most = double(lowBits(width)), mostSigned = double(lowBits(width - 1));
    switch (component.kind) {
        case TexelKind::kUnorm:
            return double(bits) / most;
        case TexelKind::kSnorm:
            return std::max(double(signedOf(bits, width)) / mostSigned, -1.0);
        case TexelKind::kSrgb:
            return fromSrgb(double(bits) / most);
        case TexelKind::kSscaled:
        case TexelKind::kSint:
            return double(signedOf(bits, width));
        case TexelKind::kFloat:
            return numbers::decodeDouble(width == 16 ? Number::f16 : Number::f32, bits);
        case TexelKind::kUfloat:
            return decodeSmall(bits, width);
        case TexelKind::kShared:
            return std::ldexp(double(bits), int(exponent) - kSmallBias - int(kSharedMantissa));
        default:
            return double(bits);
    }
}

// NaN becomes zero.
double clamped(double value, double least, double most) {
    return std::isnan(value) ? 0 : std::clamp(value, least, most);
}

uint64_t encode(const TexelComponent& component, double value) {
    const uint32_t width = component.bits;
    const auto most = double(lowBits(width)), mostSigned = double(lowBits(width - 1));
    switch (component.kind) {
        case TexelKind::kUnorm:
            return uint64_t(std::nearbyint(clamped(value, 0, 1) * most));
        case TexelKind::kSnorm:
            return uint64_t(int64_t(std::nearbyint(clamped(value, -1, 1) * mostSigned)));
        case TexelKind::kSrgb:
            return uint64_t(std::nearbyint(toSrgb(clamped(value, 0, 1)) * most));
        case TexelKind::kFloat:
            return numbers::encodeDouble(width == 16 ? Number::f16 : Number::f32, value);
        case TexelKind::kUfloat:
            return encodeSmall(value, width);
        case TexelKind::kUscaled:
            return uint64_t(clamped(value, 0, most));
        case TexelKind::kSscaled:
            return uint64_t(int64_t(clamped(value, -mostSigned - 1, mostSigned)));
        default:
            return uint64_t(int64_t(value));  // integers keep their low bits
    }
}

// Vulkan, "RGB to Shared Exponent Format Conversion".
void encodeShared(const TexelFormat& format, const Texel& texel, TexelBytes& bytes) {
    constexpr int kMostExponent = 31;
    const double largest = std::ldexp(double(lowBits(kSharedMantissa)),
                                      kMostExponent - kSmallBias - int(kSharedMantissa));
    Texel colors{};
    for (uint32_t c = 0; c < 3; ++c) colors[c] = clamped(texel[c], 0, largest);
    const double most = *std::max_element(colors.begin(), colors.end());
    int exponent = 0;
    if (most > 0) {
        exponent = std::max(-kSmallBias - 1, int(std::floor(std::log2(most)))) + 1 + kSmallBias;
        const auto scaled =
            std::floor(std::ldexp(most, kSmallBias + int(kSharedMantissa) - exponent) + 0.5);
        if (scaled == std::ldexp(1, kSharedMantissa)) ++exponent;
    }
    for (const TexelComponent& component : std::span(format.components).first(format.count)) {
        const double color =
            std::ldexp(colors[component.channel], kSmallBias + int(kSharedMantissa) - exponent);
        setBitsAt(bytes, component.first, component.bits, uint64_t(std::floor(color + 0.5)));
    }
    setBitsAt(bytes, 3 * kSharedMantissa, kSmallExponentBits, uint64_t(exponent));
}

}  // namespace

double fromSrgb(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

Texel decodeTexel(const TexelFormat& format, const TexelBytes& bytes) {
    Texel texel = {0, 0, 0, 1};
    const auto exponent = uint32_t(bitsAt(bytes, 3 * kSharedMantissa, kSmallExponentBits));
    for (const TexelComponent& component : std::span(format.components).first(format.count))
        texel[component.channel] =
            decode(component, bitsAt(bytes, component.first, component.bits), exponent);
    return texel;
}

void encodeTexel(const TexelFormat& format, const Texel& texel, TexelBytes& bytes) {
    if (format.components[0].kind == TexelKind::kShared) return encodeShared(format, texel, bytes);
    for (const TexelComponent& component : std::span(format.components).first(format.count))
        setBitsAt(bytes, component.first, component.bits,
                  encode(component, texel[component.channel]));
}

}  // namespace coopvk::reference
