// SPDX-License-Identifier: Apache-2.0
#include "component.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numbers/exact.hpp"

namespace coopvk::test {
namespace {

namespace numbers = reference::numbers;

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

numbers::Number numberOf(Component type) {
    return numbers::byVulkanType(info(type).vulkan).value_or(numbers::Number::f32);
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

double toDouble(Component type, uint64_t bits) {
    return numbers::decodeDouble(numberOf(type), bits);
}

uint64_t fromDouble(Component type, double value) {
    return numbers::encodeDouble(numberOf(type), value);
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
    return numbers::convert(numberOf(from), numberOf(to), bits, numbers::conversionRule(false))
        .bits;
}

bool isNan(Component type, uint64_t bits) {
    return info(type).isFloat() && std::isnan(toDouble(type, bits));
}

bool same(Component type, uint64_t a, uint64_t b) {
    return a == b || (isNan(type, a) && isNan(type, b));
}

}  // namespace coopvk::test
