// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
    uint32_t vulkan;    // VkComponentTypeKHR, or kNoValue
    uint32_t encoding;  // spv::FPEncoding, or kNoValue for IEEE 754 and integers
    Family family;
    uint8_t bits;          // of the whole pattern, 4 to 64
    uint8_t exponentBits;  // 0 for fixed point
    uint8_t mantissaBits;  // without the hidden bit; for fixed point the bits of the fraction
    int16_t bias;          // of the exponent
    Specials specials;

    bool floating() const { return family == Family::floating; }
    bool isSigned() const { return family == Family::signedFixed; }
    // All formats have a sign but unsigned integers and e8m0, which is an exponent alone.
    bool hasSign() const { return floating() ? bits > exponentBits + mantissaBits : isSigned(); }
    bool integer() const { return !floating() && mantissaBits == 0; }
    uint64_t mask() const { return lowBits(bits); }
};

const Format& format(Number number);

// The format of VkComponentTypeKHR `type`. The packed 8-bit integers of cooperative vectors are the
// formats of one element.
std::optional<Number> byVulkanType(uint32_t type);

// OpTypeFloat with `bits` and FP encoding `encoding` (kNoValue without); OpTypeInt.
std::optional<Number> floatOf(uint32_t bits, uint32_t encoding);
std::optional<Number> integerOf(uint32_t bits, bool isSigned);

}  // namespace coopvk::reference::numbers
