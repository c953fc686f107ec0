// SPDX-License-Identifier: Apache-2.0
#include "conversion/float_formats.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::layer {
namespace {

constexpr uint32_t kMantissaBits = 23;
constexpr uint32_t kBias = 127;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kImplicitOne = 1u << kMantissaBits;

// value / 2^shift, to nearest, ties to even; shift from 1 to 31.
constexpr uint32_t shiftRounded(uint32_t value, uint32_t shift) {
    return (value + (1u << (shift - 1)) - 1 + (value >> shift & 1)) >> shift;
}

}  // namespace

uint32_t widen(const ComponentFormat& format, uint32_t bits) {
    const uint32_t magnitudeBits = format.exponentBits + format.mantissaBits;
    const uint32_t magnitude = bits & ((1u << magnitudeBits) - 1);
    const uint32_t sign = bits >> magnitudeBits << 31;
    const uint32_t shift = kMantissaBits - format.mantissaBits;
    const uint32_t top = ((1u << format.exponentBits) - 1) << format.mantissaBits;
    if (format.hasInfinity && magnitude >= top)
        return sign | kInfinity | (magnitude - top) << shift;
    if (!format.hasInfinity && magnitude == (1u << magnitudeBits) - 1) {
        return sign | kInfinity | (kImplicitOne - 1);
    }
    const uint32_t rebias = (kBias - format.bias) << kMantissaBits;
    if (magnitude >> format.mantissaBits != 0) return sign | ((magnitude << shift) + rebias);
    if (magnitude == 0) return sign;
    // Denormal: shifts the leading one to the position that float32 implies.
    const auto lead = static_cast<uint32_t>(std::bit_width(magnitude)) - 1;
    const uint32_t exponent = kBias - format.bias + 1 + lead - format.mantissaBits;
    return sign | ((magnitude << (kMantissaBits - lead)) + ((exponent - 1) << kMantissaBits));
}

uint32_t narrow(const ComponentFormat& format, uint32_t float32Bits) {
    const uint32_t magnitudeBits = format.exponentBits + format.mantissaBits;
    const uint32_t sign = float32Bits >> 31 << magnitudeBits;
    const uint32_t magnitude = float32Bits & 0x7fffffff;
    const uint32_t shift = kMantissaBits - format.mantissaBits;
    const uint32_t top = ((1u << format.exponentBits) - 1) << format.mantissaBits;
    const uint32_t nan = (1u << magnitudeBits) - 1;
    if (magnitude > kInfinity) {
        if (!format.hasInfinity) return sign | nan;
        const uint32_t quiet = 1u << (format.mantissaBits - 1);
        return sign | top | quiet | (magnitude - kInfinity) >> shift;
    }
    const uint32_t smallestNormal = kBias - format.bias + 1;  // its exponent field in float32
    const uint32_t exponent = magnitude >> kMantissaBits;
    if (exponent < smallestNormal) {
        // A value that is less than half the smallest denormal becomes zero, as every float32
        // denormal does.
        const uint32_t further = std::min(shift + smallestNormal - exponent, 31u);
        return sign | shiftRounded((magnitude & (kImplicitOne - 1)) | kImplicitOne, further);
    }
    const uint32_t rounded =
        shiftRounded(magnitude, shift) - ((smallestNormal - 1) << format.mantissaBits);
    return sign | std::min(rounded, format.hasInfinity ? top : nan);
}

}  // namespace coopvk::layer
