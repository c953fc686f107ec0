// SPDX-License-Identifier: Apache-2.0
//
// Specialization constants from the command line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {

struct SpecializationValue {
    uint32_t constantId = 0;
    std::array<std::byte, 8> bytes = {};
    size_t size = 0;

    rewrite::SpecializationEntry entry() const {
        return {constantId, std::span(bytes).first(size)};
    }
};

// "ID=VALUE" or "ID=VALUE:TYPE", TYPE one of bool, s8 ... u64, f32, f64. Without TYPE: true and
// false are bool, a number with a point or an exponent is f32, other numbers are 32-bit integers.
rewrite::Result<SpecializationValue> parseSpecialization(std::string_view text);

// The ids that a module gives to specialization constants, sorted.
std::vector<uint32_t> specializationIds(std::span<const uint32_t> words);

}  // namespace coopvk::tool
