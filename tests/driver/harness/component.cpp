// SPDX-License-Identifier: Apache-2.0
#include "component.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace coopvk::test {
namespace {

constexpr std::array<ComponentInfo, 11> kComponents = {{
    {Component::kF16, "f16", "float16_t", "f16vec", "%f16", 2, Kind::kFloat},
    {Component::kF32, "f32", "float", "vec", "%f32", 4, Kind::kFloat},
    {Component::kF64, "f64", "double", "dvec", "%f64", 8, Kind::kFloat},
    {Component::kS8, "s8", "int8_t", "i8vec", "%s8", 1, Kind::kSigned},
    {Component::kS16, "s16", "int16_t", "i16vec", "%s16", 2, Kind::kSigned},
    {Component::kS32, "s32", "int", "ivec", "%s32", 4, Kind::kSigned},
    {Component::kS64, "s64", "int64_t", "i64vec", "%s64", 8, Kind::kSigned},
    {Component::kU8, "u8", "uint8_t", "u8vec", "%u8", 1, Kind::kUnsigned},
    {Component::kU16, "u16", "uint16_t", "u16vec", "%u16", 2, Kind::kUnsigned},
    {Component::kU32, "u32", "uint", "uvec", "%u32", 4, Kind::kUnsigned},
    {Component::kU64, "u64", "uint64_t", "u64vec", "%u64", 8, Kind::kUnsigned},
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

uint16_t halfFromDouble(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000u : 0u;
    if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00u);
    const double magnitude = std::fabs(value);
    // Halfway between the largest finite half and the next step rounds to infinity.
    if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00u);
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : -15;
    if (exponent < -14) return static_cast<uint16_t>(sign | roundScaled(magnitude, 24));
    // A significand that rounds up to 2048 carries into the exponent by plain addition.
    const uint64_t significand = roundScaled(magnitude, 10 - exponent);
    return static_cast<uint16_t>(sign |
                                 ((static_cast<uint64_t>(exponent + 14) << 10) + significand));
}

double doubleFromHalf(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double sign = bits & 0x8000u ? -1.0 : 1.0;
    if (exponent == 31) return fraction ? std::nan("") : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double toDouble(Component type, uint64_t bits) {
    if (type == Component::kF16) return doubleFromHalf(static_cast<uint16_t>(bits));
    if (type == Component::kF32)
        return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return std::bit_cast<double>(bits);
}

uint64_t fromDouble(Component type, double value) {
    if (type == Component::kF16) return halfFromDouble(value);
    if (type == Component::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
    return std::bit_cast<uint64_t>(value);
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
    if (source.isFloat() && target.isFloat()) return fromDouble(to, toDouble(from, bits));
    if (source.isFloat()) {
        // Callers keep to values that the target can hold; the rest is undefined in SPIR-V.
        return wrap(static_cast<uint64_t>(static_cast<Wide>(std::trunc(toDouble(from, bits)))),
                    target.bits());
    }
    const Wide value = toInteger(from, bits);
    if (!target.isFloat()) return wrap(static_cast<uint64_t>(value), target.bits());
    if (to == Component::kF32) {
        return std::bit_cast<uint32_t>(source.isSigned()
                                           ? static_cast<float>(static_cast<int64_t>(value))
                                           : static_cast<float>(static_cast<uint64_t>(value)));
    }
    // Exact in a double up to 53 bits, which every source of a half or double case keeps to.
    return fromDouble(to, static_cast<double>(value));
}

bool isNan(Component type, uint64_t bits) {
    return info(type).isFloat() && std::isnan(toDouble(type, bits));
}

bool same(Component type, uint64_t a, uint64_t b) {
    return a == b || (isNan(type, a) && isNan(type, b));
}

}  // namespace coopvk::test
