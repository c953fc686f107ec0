// SPDX-License-Identifier: Apache-2.0
//
// Matrix component types and exact conversions between them, independent of any driver.
// A value is represented by its bits in a uint64_t.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace coopvk::test {

__extension__ using Wide = __int128;

enum class Component : uint32_t {
    kF16,
    kF32,
    kF64,
    kS8,
    kS16,
    kS32,
    kS64,
    kU8,
    kU16,
    kU32,
    kU64,
    kBF16,
    kE4M3,
    kE5M2,
};
enum class Kind { kFloat, kSigned, kUnsigned };

struct ComponentInfo {
    Component type;
    std::string_view name;    // f16, s8, ...
    std::string_view glsl;    // float16_t
    std::string_view vector;  // f16vec: prefix of GLSL's vector types
    std::string_view spirv;   // type name in this suite's assembly snippets: %half, %s8
    uint32_t bytes;
    Kind kind;
    uint32_t vulkan;                 // VkComponentTypeKHR
    std::string_view encoding = {};  // FP Encoding; empty: an integer, or a float of IEEE 754

    constexpr uint32_t bits() const { return bytes * 8; }
    constexpr bool isFloat() const { return kind == Kind::kFloat; }
    constexpr bool hasArithmetic() const { return encoding.empty(); }
    constexpr bool isSigned() const { return kind == Kind::kSigned; }
};

std::span<const ComponentInfo> allComponents();
const ComponentInfo& info(Component type);
std::string_view name(Component type);
// nullptr: the tests do not know the type.
const ComponentInfo* findComponent(uint32_t vulkan);

// The bit fields of a binary floating-point number.
struct FloatFormat {
    int exponentBits, fractionBits, bias;
    bool hasInfinity = true;  // if not, only the number with all bits set is NaN
};
FloatFormat floatFormat(Component type);

// Floats only: exact widening, and narrowing with round to nearest even.
double toDouble(Component type, uint64_t bits);
uint64_t fromDouble(Component type, double value);

// Integers only: sign or zero extension of the low bits.
Wide extend(uint64_t bits, uint32_t width, bool isSigned);
Wide toInteger(Component type, uint64_t bits);
// The low bits of a value.
uint64_t wrap(uint64_t value, uint32_t width);

// One component converted as SPIR-V's conversion instruction between the two types does it.
uint64_t convert(Component to, Component from, uint64_t bits);

bool isNan(Component type, uint64_t bits);
// Same value: same bits, or both NaN.
bool same(Component type, uint64_t a, uint64_t b);

}  // namespace coopvk::test
