// SPDX-License-Identifier: Apache-2.0
//
// Component types of random programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coopvk::programs {

enum class Component : uint8_t {
    kF16,
    kF32,
    kBf16,
    kE4M3,
    kE5M2,
    kS8,
    kU8,
    kS16,
    kU16,
    kS32,
    kU32,
    kS4,
    kU4,
    // Only components of long vectors.
    kF64,
    kS64,
    kU64,
    kBool
};

struct ComponentInfo {
    std::string_view name;        // of its type's id
    std::string_view definition;  // of its type
    uint32_t bytes;
    bool isFloat;
    bool isSigned;
    bool hasArithmetic;  // bfloat16 and 8-bit floats have only conversions and products
    double limit;        // every integer up to it is exact; integer types wrap
    uint32_t vulkan;     // VkComponentTypeKHR
};
const ComponentInfo& info(Component component);
constexpr bool isNibble(Component component) {
    return component == Component::kS4 || component == Component::kU4;
}
constexpr size_t kComponents = 17;

}  // namespace coopvk::programs
