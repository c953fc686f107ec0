// SPDX-License-Identifier: Apache-2.0
#include "component.hpp"

#include <algorithm>
#include <cmath>

#include "numbers/exact.hpp"

namespace coopvk::test {
namespace {

namespace numbers = reference::numbers;

using numbers::Number;

constexpr ComponentInfo row(Component type, Number number, std::string_view glsl,
                            std::string_view vector, std::string_view id) {
    const numbers::Format& f = numbers::format(number);
    const Kind kind = f.floating() ? Kind::kFloat : f.isSigned() ? Kind::kSigned : Kind::kUnsigned;
    return {type, f.name, glsl, vector, id, f.bits / 8u, kind, f.vulkan, f.spirv};
}

constexpr ComponentInfo kComponents[] = {
    row(Component::kF16, Number::f16, "float16_t", "f16vec", "%f16"),
    row(Component::kF32, Number::f32, "float", "vec", "%f32"),
    row(Component::kF64, Number::f64, "double", "dvec", "%f64"),
    row(Component::kS8, Number::s8, "int8_t", "i8vec", "%s8"),
    row(Component::kS16, Number::s16, "int16_t", "i16vec", "%s16"),
    row(Component::kS32, Number::s32, "int", "ivec", "%s32"),
    row(Component::kS64, Number::s64, "int64_t", "i64vec", "%s64"),
    row(Component::kU8, Number::u8, "uint8_t", "u8vec", "%u8"),
    row(Component::kU16, Number::u16, "uint16_t", "u16vec", "%u16"),
    row(Component::kU32, Number::u32, "uint", "uvec", "%u32"),
    row(Component::kU64, Number::u64, "uint64_t", "u64vec", "%u64"),
    row(Component::kBF16, Number::bf16, "bfloat16_t", "bf16vec", "%bf16"),
    row(Component::kE4M3, Number::e4m3, "floate4m3_t", "fe4m3vec", "%e4m3"),
    row(Component::kE5M2, Number::e5m2, "floate5m2_t", "fe5m2vec", "%e5m2"),
};

Number numberOf(Component type) {
    return numbers::byVulkanType(info(type).vulkan).value_or(Number::f32);
}

}  // namespace

std::span<const ComponentInfo> allComponents() { return kComponents; }
const ComponentInfo& info(Component type) { return kComponents[static_cast<size_t>(type)]; }
std::string_view name(Component type) { return info(type).name; }

const ComponentInfo* findComponent(uint32_t vulkan) {
    const auto found = std::ranges::find(kComponents, vulkan, &ComponentInfo::vulkan);
    return found == std::end(kComponents) ? nullptr : &*found;
}

FloatFormat floatFormat(Component type) {
    const numbers::Format& f = numbers::format(numberOf(type));
    return {f.exponentBits, f.mantissaBits, f.bias, f.specials == numbers::Specials::ieee};
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
