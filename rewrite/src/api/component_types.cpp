// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "coopvk/component_format.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

std::string_view name(ComponentType type) {
    if (type == ComponentType::kSint8Packed) return "s8packed";
    if (type == ComponentType::kUint8Packed) return "u8packed";
    const Number* number = findNumber(type);
    return number == nullptr ? "unknown" : number->name;
}

std::optional<ComponentType> componentType(std::string_view name) {
    const auto found = std::ranges::find_if(allNumbers(), [&](const Number& number) {
        return number.type != kNoComponentType && number.name == name;
    });
    return found == allNumbers().end() ? std::nullopt : std::optional(found->type);
}

std::optional<ComponentFormat> componentFormat(ComponentType type) {
    const Number* number = findNumber(type);
    if (number == nullptr) return std::nullopt;
    if (!number->isFloat()) return ComponentFormat{.bits = number->bits};
    return ComponentFormat{number->bits, number->fields.exponentBits, number->mantissaBits(),
                           number->fields.bias, number->hasInfinity()};
}

}  // namespace coopvk::rewrite
