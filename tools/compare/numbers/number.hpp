// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the formats of matrix and vector components. A number is represented by its bits.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace coopvk::compare {

using Component = VkComponentTypeKHR;
constexpr Component kFloat16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr Component kFloat32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
using Bytes = std::vector<std::byte>;
using Real = long double;  // exact for products of two f32, and more than enough for their sums
__extension__ using Wide = __int128;

enum class Kind { kFloat, kSigned, kUnsigned };

struct ComponentInfo {
    Component type;
    std::string_view name;  // "f16", "s8packed"
    uint32_t bits;          // of one element
    Kind kind;
    int mantissaBits = 0;  // floats: stored ones
    int exponentBits = 0;
    int bias = 0;
    bool infinity = true;            // else the largest exponent holds numbers, and one code is NaN
    std::string_view encoding = {};  // FP Encoding; empty: an integer, or a float of IEEE 754

    bool isFloat() const { return kind == Kind::kFloat; }
    bool isSigned() const { return kind == Kind::kSigned; }
    // 8-bit floats, which are only converted, and multiplied as components of matrices.
    bool isFloat8() const { return isFloat() && bits == 8; }
    uint32_t bytes() const { return bits / 8; }
};

std::span<const ComponentInfo> allComponents();

// nullptr for types that this tool does not know.
const ComponentInfo* findComponent(Component type);
// Of types that it knows.
const ComponentInfo& info(Component type);
std::string_view nameOf(Component type);

// Whether shaders compute with it: f16 to u64. The others are only converted, and multiplied as
// components of matrices.
bool hasArithmetic(Component type);
// The type with which shaders compute instead: f32 if it has no arithmetic.
Component arithmeticOf(Component type);
// A float represents all integers up to this one.
uint32_t exactIntegers(Component type);
// The largest number.
Real largest(Component type);

uint64_t maskBits(uint64_t value, uint32_t bits);

// For floats. encode rounds to nearest, ties to even; a value that is too large becomes infinite
// (or NaN).
Real decode(Component type, uint64_t bits);
uint64_t encode(Component type, Real value);
bool isNan(Component type, uint64_t bits);
// The nearest value of the type that is not above.
Real roundDown(Component type, Real value);
// The distance from 1 to the next value; and the smallest normal number.
Real epsilon(Component type);
Real smallestNormal(Component type);

// Integers: the value of the low bits.
Wide toInteger(Component type, uint64_t bits);
Wide lowest(Component type);
Wide highest(Component type);

// Any type: how many representable values lie between two (0 for equal ones and for two NaNs,
// infinite if just one is NaN).
double ulpsBetween(Component type, uint64_t a, uint64_t b);
// As text for people: "1.5", "-3", "nan".
std::string toText(Component type, uint64_t bits);

uint64_t readBits(std::span<const std::byte> bytes, size_t offset, Component type);
void writeBits(std::span<std::byte> bytes, size_t offset, Component type, uint64_t bits);

}  // namespace coopvk::compare
