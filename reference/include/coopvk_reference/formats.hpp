// SPDX-License-Identifier: Apache-2.0
//
// The number formats that the device knows. A new format is a new row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace coopvk::reference::numbers {

// The number formats of Vulkan's component types and SPIR-V's scalar types.
enum class Number : uint8_t {
    f16,
    f32,
    f64,
    bf16,
    e4m3,
    e5m2,
    e2m1,
    e2m3,
    e3m2,
    e8m0,
    mxint8,
    s4,
    s8,
    s16,
    s32,
    s64,
    u4,
    u8,
    u16,
    u32,
    u64,
};

enum class Family : uint8_t { floating, signedFixed, unsignedFixed };

// Which bit patterns of a floating-point format are no numbers.
enum class Specials : uint8_t {
    ieee,     // the largest exponent: infinities and NaN (IEEE 754, 3.4)
    allOnes,  // exponent and mantissa all ones: NaN; no infinities ("FP8 Formats for Deep
              // Learning", 3.1)
    none,     // every pattern is a number (OCP Microscaling Formats 1.0, 5.3)
};

inline constexpr uint32_t kNoValue = 0xFFFFFFFF;

constexpr uint64_t lowBits(uint32_t count) {
    return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

struct Format {
    std::string_view name;
    std::string_view spirv;  // FP Encoding; empty for IEEE 754 and integers
    uint32_t vulkan;         // VkComponentTypeKHR, or kNoValue
    uint32_t encoding;       // spv::FPEncoding, or kNoValue
    Family family;
    uint8_t bits;          // of the whole pattern, 4 to 64
    uint8_t exponentBits;  // 0 for fixed point
    uint8_t mantissaBits;  // without the hidden bit; for fixed point the bits of the fraction
    int16_t bias;          // of the exponent
    Specials specials;

    constexpr bool floating() const { return family == Family::floating; }
    constexpr bool isSigned() const { return family == Family::signedFixed; }
    // All formats have a sign but unsigned integers and e8m0, which is an exponent alone.
    constexpr bool hasSign() const {
        return floating() ? bits > exponentBits + mantissaBits : isSigned();
    }
    constexpr bool integer() const { return !floating() && mantissaBits == 0; }
    constexpr uint64_t mask() const { return lowBits(bits); }
};

// In the order of Number. Encodings: SPV_KHR_bfloat16, SPV_EXT_float8 and
// SPV_EXT_ocp_microscaling_types, "FP Encoding".
inline constexpr Format kFormats[] = {
    // name, FP Encoding, Vulkan, encoding, family, bits, exponent, mantissa, bias, specials
    {"f16", "", 0, kNoValue, Family::floating, 16, 5, 10, 15, Specials::ieee},
    {"f32", "", 1, kNoValue, Family::floating, 32, 8, 23, 127, Specials::ieee},
    {"f64", "", 2, kNoValue, Family::floating, 64, 11, 52, 1023, Specials::ieee},
    {"bf16", "BFloat16KHR", 1000141000, 0, Family::floating, 16, 8, 7, 127, Specials::ieee},
    {"e4m3", "Float8E4M3EXT", 1000491002, 4214, Family::floating, 8, 4, 3, 7, Specials::allOnes},
    {"e5m2", "Float8E5M2EXT", 1000491003, 4215, Family::floating, 8, 5, 2, 15, Specials::ieee},
    {"e2m1", "Float4E2M1EXT", 1000672002, 4225, Family::floating, 4, 2, 1, 1, Specials::none},
    {"e2m3", "Float6E2M3EXT", 1000672000, 4223, Family::floating, 6, 2, 3, 1, Specials::none},
    {"e3m2", "Float6E3M2EXT", 1000672001, 4224, Family::floating, 6, 3, 2, 3, Specials::none},
    {"e8m0", "Float8UnsignedE8M0EXT", 1000672003, 4226, Family::floating, 8, 8, 0, 127,
     Specials::allOnes},
    {"mxint8", "MXInt8EXT", 1000672004, 4227, Family::signedFixed, 8, 0, 6, 0, Specials::none},
    {"s4", "", kNoValue, kNoValue, Family::signedFixed, 4, 0, 0, 0, Specials::none},
    {"s8", "", 3, kNoValue, Family::signedFixed, 8, 0, 0, 0, Specials::none},
    {"s16", "", 4, kNoValue, Family::signedFixed, 16, 0, 0, 0, Specials::none},
    {"s32", "", 5, kNoValue, Family::signedFixed, 32, 0, 0, 0, Specials::none},
    {"s64", "", 6, kNoValue, Family::signedFixed, 64, 0, 0, 0, Specials::none},
    {"u4", "", kNoValue, kNoValue, Family::unsignedFixed, 4, 0, 0, 0, Specials::none},
    {"u8", "", 7, kNoValue, Family::unsignedFixed, 8, 0, 0, 0, Specials::none},
    {"u16", "", 8, kNoValue, Family::unsignedFixed, 16, 0, 0, 0, Specials::none},
    {"u32", "", 9, kNoValue, Family::unsignedFixed, 32, 0, 0, 0, Specials::none},
    {"u64", "", 10, kNoValue, Family::unsignedFixed, 64, 0, 0, 0, Specials::none},
};

constexpr const Format& format(Number number) { return kFormats[size_t(number)]; }

template <typename Test>
inline std::optional<Number> findFormat(Test test) {
    const auto* found = std::ranges::find_if(kFormats, test);
    return found != std::end(kFormats) ? std::optional(Number(found - kFormats)) : std::nullopt;
}

// VK_COMPONENT_TYPE_SINT8_PACKED_NV and UINT8_PACKED_NV: formats of one element.
inline constexpr uint32_t kSigned8Packed = 1000491000, kUnsigned8Packed = 1000491001;

// The format of VkComponentTypeKHR `type`.
inline std::optional<Number> byVulkanType(uint32_t type) {
    if (type == kSigned8Packed) return Number::s8;
    if (type == kUnsigned8Packed) return Number::u8;
    return findFormat([&](const Format& f) { return f.vulkan == type && type != kNoValue; });
}

// OpTypeFloat with `bits` and FP encoding `encoding` (kNoValue without). MXINT8 is fixed point
// here, and a type of OpTypeFloat there.
inline std::optional<Number> floatOf(uint32_t bits, uint32_t encoding) {
    return findFormat([&](const Format& f) {
        return (f.floating() || f.encoding != kNoValue) && f.bits == bits && f.encoding == encoding;
    });
}

// OpTypeInt.
inline std::optional<Number> integerOf(uint32_t bits, bool isSigned) {
    return findFormat(
        [&](const Format& f) { return f.integer() && f.bits == bits && f.isSigned() == isSigned; });
}

// The number that bits are, as a double; and the bits of the nearest number, to even.
double valueOf(Number number, uint64_t bits);
uint64_t bitsOf(Number number, double value);

}  // namespace coopvk::reference::numbers
