// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/number.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "coopvk_reference/formats.hpp"

namespace coopvk::compare {
namespace {

namespace formats = reference::numbers;

// Of formats that matrices and vectors may have: the others are only moved.
std::vector<ComponentInfo> componentsOf(std::span<const formats::Format> table) {
    std::vector<ComponentInfo> all;
    for (const formats::Format& f : table) {
        const bool isComputed =
            f.floating() && f.hasSign() && f.specials != formats::Specials::none;
        if (f.vulkan == formats::kNoValue || !(isComputed || f.integer())) continue;
        const Kind kind = f.floating()   ? Kind::kFloat
                          : f.isSigned() ? Kind::kSigned
                                         : Kind::kUnsigned;
        all.push_back({static_cast<Component>(f.vulkan), f.name, f.bits, kind, f.mantissaBits,
                       f.exponentBits, f.bias, f.specials == formats::Specials::ieee, f.spirv});
    }
    all.push_back({VK_COMPONENT_TYPE_SINT8_PACKED_NV, "s8packed", 8, Kind::kSigned});
    all.push_back({VK_COMPONENT_TYPE_UINT8_PACKED_NV, "u8packed", 8, Kind::kUnsigned});
    return all;
}

uint64_t signBit(const ComponentInfo& c) { return uint64_t{1} << (c.bits - 1); }

// The first magnitude that is no finite number.
uint64_t firstSpecial(const ComponentInfo& c) {
    const uint64_t top = (uint64_t{1} << c.exponentBits) - 1;
    const uint64_t all = top << c.mantissaBits;
    return c.infinity ? all : all | ((uint64_t{1} << c.mantissaBits) - 1);
}

Real magnitudeValue(const ComponentInfo& c, uint64_t magnitude) {
    const int exponent = static_cast<int>(magnitude >> c.mantissaBits);
    const auto mantissa = static_cast<Real>(magnitude & ((uint64_t{1} << c.mantissaBits) - 1));
    const int scale = 1 - c.bias - c.mantissaBits;
    if (exponent == 0) return std::ldexp(mantissa, scale);
    return std::ldexp(mantissa + std::ldexp(Real{1}, c.mantissaBits), scale + exponent - 1);
}

// Position of a value in the order of all values of its type.
Wide orderOf(const ComponentInfo& c, uint64_t bits) {
    if (!c.isFloat()) return toInteger(c.type, bits);
    const auto magnitude = static_cast<Wide>(bits & (signBit(c) - 1));
    return bits & signBit(c) ? -magnitude : magnitude;
}

uint64_t bitsOfOrder(const ComponentInfo& c, Wide order) {
    return order < 0 ? signBit(c) | static_cast<uint64_t>(-order) : static_cast<uint64_t>(order);
}

}  // namespace

std::span<const ComponentInfo> allComponents() {
    static const std::vector<ComponentInfo> kAll = componentsOf(formats::kFormats);
    return kAll;
}

const ComponentInfo* findComponent(Component type) {
    for (const ComponentInfo& component : allComponents())
        if (component.type == type) return &component;
    return nullptr;
}

const ComponentInfo& info(Component type) {
    const ComponentInfo* found = findComponent(type);
    if (!found) throw std::runtime_error("unknown component type " + std::to_string(type));
    return *found;
}

std::string_view nameOf(Component type) {
    const ComponentInfo* found = findComponent(type);
    return found ? found->name : "unknown";
}

bool hasArithmetic(Component type) { return type <= VK_COMPONENT_TYPE_UINT64_KHR; }

Component arithmeticOf(Component type) {
    return hasArithmetic(type) ? type : VK_COMPONENT_TYPE_FLOAT32_KHR;
}

uint32_t exactIntegers(Component type) { return 1u << (info(type).mantissaBits + 1); }

Real largest(Component type) {
    return info(type).isFloat() ? decode(type, firstSpecial(info(type)) - 1)
                                : static_cast<Real>(highest(type));
}

uint64_t maskBits(uint64_t value, uint32_t bits) {
    return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

Real decode(Component type, uint64_t bits) {
    const ComponentInfo& c = info(type);
    const uint64_t magnitude = bits & (signBit(c) - 1);
    const Real sign = bits & signBit(c) ? -1 : 1;
    if (magnitude < firstSpecial(c)) return sign * magnitudeValue(c, magnitude);
    if (c.infinity && magnitude == firstSpecial(c))
        return sign * std::numeric_limits<Real>::infinity();
    return std::numeric_limits<Real>::quiet_NaN();
}

uint64_t encode(Component type, Real value) {
    const ComponentInfo& c = info(type);
    const uint64_t sign = std::signbit(value) ? signBit(c) : 0;
    const uint64_t special = firstSpecial(c);
    if (std::isnan(value))
        return sign | special | (c.infinity ? uint64_t{1} << (c.mantissaBits - 1) : 0);
    const Real magnitude = std::fabs(value);
    // The exponent of the last place; below the normal numbers it stays.
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : -c.bias;
    if (exponent < 1 - c.bias) exponent = 1 - c.bias;
    if (exponent > c.bias + 1) return sign | special;
    const Real scaled = std::ldexp(magnitude, c.mantissaBits - exponent);
    Real whole = std::floor(scaled);
    const Real rest = scaled - whole;
    if (rest > 0.5L || (rest == 0.5L && std::fmod(whole, Real{2}) != 0)) whole += 1;
    // A significand that rounds up carries into the exponent by plain addition.
    const auto significand = static_cast<uint64_t>(whole);
    const uint64_t code =
        (static_cast<uint64_t>(exponent + c.bias - 1) << c.mantissaBits) + significand;
    return sign | (code < special ? code : special);
}

bool isNan(Component type, uint64_t bits) {
    return info(type).isFloat() && std::isnan(decode(type, bits));
}

Real roundDown(Component type, Real value) {
    const ComponentInfo& c = info(type);
    if (std::isnan(value)) return value;
    const auto limit = static_cast<Wide>(firstSpecial(c));
    Wide order = orderOf(c, encode(type, value));
    if (order > limit) order = limit;  // e4m3's only code beyond the numbers
    const auto valueOf = [&](Wide place) {
        if (place >= limit) return std::numeric_limits<Real>::infinity();
        if (place <= -limit) return -std::numeric_limits<Real>::infinity();
        return decode(type, bitsOfOrder(c, place));
    };
    while (valueOf(order) > value) --order;
    return valueOf(order);
}

Real epsilon(Component type) { return std::ldexp(Real{1}, -info(type).mantissaBits); }
Real smallestNormal(Component type) { return std::ldexp(Real{1}, 1 - info(type).bias); }

Wide toInteger(Component type, uint64_t bits) {
    const ComponentInfo& c = info(type);
    const uint64_t low = maskBits(bits, c.bits);
    if (c.isSigned() && (low >> (c.bits - 1) & 1))
        return static_cast<Wide>(low) - (Wide{1} << c.bits);
    return static_cast<Wide>(low);
}

Wide lowest(Component type) {
    return info(type).isSigned() ? -(Wide{1} << (info(type).bits - 1)) : Wide{0};
}

Wide highest(Component type) {
    return (Wide{1} << (info(type).bits - (info(type).isSigned() ? 1 : 0))) - 1;
}

double ulpsBetween(Component type, uint64_t a, uint64_t b) {
    const bool nanA = isNan(type, a), nanB = isNan(type, b);
    if (nanA || nanB) return nanA && nanB ? 0 : std::numeric_limits<double>::infinity();
    const Wide distance = orderOf(info(type), a) - orderOf(info(type), b);
    return static_cast<double>(distance < 0 ? -distance : distance);
}

std::string toText(Component type, uint64_t bits) {
    char text[64];
    if (info(type).isFloat()) {
        std::snprintf(text, sizeof(text), "%.*Lg", type == VK_COMPONENT_TYPE_FLOAT64_KHR ? 17 : 9,
                      decode(type, bits));
    } else if (info(type).isSigned()) {
        std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(toInteger(type, bits)));
    } else {
        std::snprintf(text, sizeof(text), "%llu",
                      static_cast<unsigned long long>(toInteger(type, bits)));
    }
    return text;
}

uint64_t readBits(std::span<const std::byte> bytes, size_t offset, Component type) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[offset], info(type).bytes());
    return bits;
}

void writeBits(std::span<std::byte> bytes, size_t offset, Component type, uint64_t bits) {
    std::memcpy(&bytes[offset], &bits, info(type).bytes());
}

}  // namespace coopvk::compare
