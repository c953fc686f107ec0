// SPDX-License-Identifier: Apache-2.0
#include "component.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace coopvk::test {
namespace {

constexpr std::array<ComponentInfo, 14> kComponents = {{
    {Component::kF16, "f16", "float16_t", "f16vec", "%f16", 2, Kind::kFloat, 0},
    {Component::kF32, "f32", "float", "vec", "%f32", 4, Kind::kFloat, 1},
    {Component::kF64, "f64", "double", "dvec", "%f64", 8, Kind::kFloat, 2},
    {Component::kS8, "s8", "int8_t", "i8vec", "%s8", 1, Kind::kSigned, 3},
    {Component::kS16, "s16", "int16_t", "i16vec", "%s16", 2, Kind::kSigned, 4},
    {Component::kS32, "s32", "int", "ivec", "%s32", 4, Kind::kSigned, 5},
    {Component::kS64, "s64", "int64_t", "i64vec", "%s64", 8, Kind::kSigned, 6},
    {Component::kU8, "u8", "uint8_t", "u8vec", "%u8", 1, Kind::kUnsigned, 7},
    {Component::kU16, "u16", "uint16_t", "u16vec", "%u16", 2, Kind::kUnsigned, 8},
    {Component::kU32, "u32", "uint", "uvec", "%u32", 4, Kind::kUnsigned, 9},
    {Component::kU64, "u64", "uint64_t", "u64vec", "%u64", 8, Kind::kUnsigned, 10},
    {Component::kBF16, "bf16", "bfloat16_t", "bf16vec", "%bf16", 2, Kind::kFloat, 1000141000,
     "BFloat16KHR"},
    {Component::kE4M3, "e4m3", "floate4m3_t", "fe4m3vec", "%e4m3", 1, Kind::kFloat, 1000491002,
     "Float8E4M3EXT"},
    {Component::kE5M2, "e5m2", "floate5m2_t", "fe5m2vec", "%e5m2", 1, Kind::kFloat, 1000491003,
     "Float8E5M2EXT"},
}};

// Rounds value * 2^shift to an integer, ties to even; value is finite and not negative.
uint64_t roundScaled(double value, int shift) {
    const double scaled = std::ldexp(value, shift);  // exact: only the exponent changes
    const double floor = std::floor(scaled);
    const double rest = scaled - floor;
    uint64_t whole = static_cast<uint64_t>(floor);
    if (rest > 0.5 || (rest == 0.5 && (whole & 1u))) ++whole;
    return whole;
}

}  // namespace

std::span<const ComponentInfo> allComponents() { return kComponents; }
const ComponentInfo& info(Component type) { return kComponents[static_cast<size_t>(type)]; }
std::string_view name(Component type) { return info(type).name; }

const ComponentInfo* findComponent(uint32_t vulkan) {
    const auto found = std::find_if(kComponents.begin(), kComponents.end(),
                                    [&](const auto& c) { return c.vulkan == vulkan; });
    return found == kComponents.end() ? nullptr : &*found;
}

FloatFormat floatFormat(Component type) {
    switch (type) {
        case Component::kF16:
            return {5, 10, 15};
        case Component::kBF16:
            return {8, 7, 127};
        case Component::kE4M3:
            return {4, 3, 7, false};
        case Component::kE5M2:
            return {5, 2, 15};
        case Component::kF32:
            return {8, 23, 127};
        default:
            return {11, 52, 1023};
    }
}

namespace {

// To nearest, ties to even. Numbers that round to more than the largest become infinity, or NaN
// where the format has no infinity.
uint64_t narrowBits(const FloatFormat& f, double value) {
    const uint64_t sign =
        std::signbit(value) ? uint64_t{1} << (f.exponentBits + f.fractionBits) : 0;
    const uint64_t infinity = ((uint64_t{1} << f.exponentBits) - 1) << f.fractionBits;
    const uint64_t allBits = infinity | ((uint64_t{1} << f.fractionBits) - 1);
    const uint64_t nan = f.hasInfinity ? infinity | uint64_t{1} << (f.fractionBits - 1) : allBits;
    const uint64_t overflow = f.hasInfinity ? infinity : nan;
    if (std::isnan(value)) return sign | nan;
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return sign | overflow;
    const int least = 1 - f.bias;
    const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), least) : least;
    if (exponent > f.bias + 1) return sign | overflow;
    // A significand that rounds up to the next power of two carries into the exponent by plain
    // addition; that of a subnormal number has no implicit bit.
    const uint64_t significand = roundScaled(magnitude, f.fractionBits - exponent);
    const uint64_t bits = (static_cast<uint64_t>(exponent - least) << f.fractionBits) + significand;
    return sign | (bits >= overflow ? overflow : bits);
}

double narrowValue(const FloatFormat& f, uint64_t bits) {
    const auto fraction = static_cast<int>(bits & ((uint64_t{1} << f.fractionBits) - 1));
    const int top = (1 << f.exponentBits) - 1;
    const int exponent = static_cast<int>(bits >> f.fractionBits) & top;
    const double sign = bits >> (f.exponentBits + f.fractionBits) & 1 ? -1.0 : 1.0;
    const bool isLast = fraction == (1 << f.fractionBits) - 1;
    if (exponent == top && f.hasInfinity) return fraction ? std::nan("") : sign * HUGE_VAL;
    if (exponent == top && isLast) return std::nan("");
    const int implicit = exponent == 0 ? 0 : 1 << f.fractionBits;
    return sign * std::ldexp(implicit + fraction, std::max(exponent, 1) - f.bias - f.fractionBits);
}

}  // namespace

uint16_t halfFromDouble(double value) {
    return static_cast<uint16_t>(narrowBits(floatFormat(Component::kF16), value));
}

double doubleFromHalf(uint16_t bits) { return narrowValue(floatFormat(Component::kF16), bits); }

double toDouble(Component type, uint64_t bits) {
    if (type == Component::kF32)
        return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (type == Component::kF64) return std::bit_cast<double>(bits);
    return narrowValue(floatFormat(type), bits);
}

uint64_t fromDouble(Component type, double value) {
    if (type == Component::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
    if (type == Component::kF64) return std::bit_cast<uint64_t>(value);
    return narrowBits(floatFormat(type), value);
}

Wide extend(uint64_t bits, uint32_t width, bool isSigned) {
    const uint64_t low = wrap(bits, width);
    if (isSigned && (low >> (width - 1) & 1u)) return static_cast<Wide>(low) - (Wide{1} << width);
    return static_cast<Wide>(low);
}

Wide toInteger(Component type, uint64_t bits) {
    return extend(bits, info(type).bits(), info(type).isSigned());
}

uint64_t wrap(uint64_t value, uint32_t width) {
    return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

uint64_t convert(Component to, Component from, uint64_t bits) {
    const ComponentInfo& target = info(to);
    const ComponentInfo& source = info(from);
    if (source.isFloat() && target.isFloat()) {
        double value = toDouble(from, bits);
        // SPV_KHR_bfloat16: by way of binary32.
        if (to == Component::kBF16) value = static_cast<double>(static_cast<float>(value));
        return fromDouble(to, value);
    }
    if (source.isFloat()) {
        // Callers use only values that the target can hold; others are undefined in SPIR-V.
        return wrap(static_cast<uint64_t>(static_cast<Wide>(std::trunc(toDouble(from, bits)))),
                    target.bits());
    }
    const Wide value = toInteger(from, bits);
    if (!target.isFloat()) return wrap(static_cast<uint64_t>(value), target.bits());
    if (to == Component::kBF16)
        return convert(to, Component::kF32, convert(Component::kF32, from, bits));
    if (to == Component::kF32) {
        return std::bit_cast<uint32_t>(source.isSigned()
                                           ? static_cast<float>(static_cast<int64_t>(value))
                                           : static_cast<float>(static_cast<uint64_t>(value)));
    }
    // Exact in a double up to 53 bits; no source of a half or double case has more.
    return fromDouble(to, static_cast<double>(value));
}

bool isNan(Component type, uint64_t bits) {
    return info(type).isFloat() && std::isnan(toDouble(type, bits));
}

bool same(Component type, uint64_t a, uint64_t b) {
    return a == b || (isNan(type, a) && isNan(type, b));
}

}  // namespace coopvk::test
