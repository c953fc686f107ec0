// SPDX-License-Identifier: Apache-2.0
//
// What others may know of the rewriter's table of number formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "coopvk/device.hpp"

namespace coopvk::rewrite {

// The type with this name; nullopt also for packed types.
std::optional<ComponentType> componentType(std::string_view name);

// How the bits of a component are a number. The mantissa is lowest, the sign highest.
struct ComponentFormat {
    uint32_t bits = 0;
    uint32_t exponentBits = 0;  // 0: an integer
    uint32_t mantissaBits = 0;
    uint32_t bias = 0;
    bool hasInfinity = false;  // else all bits below the sign set is NaN, and no other number
    bool operator==(const ComponentFormat&) const = default;
};
// nullopt for packed and unknown types.
std::optional<ComponentFormat> componentFormat(ComponentType type);

}  // namespace coopvk::rewrite
