// SPDX-License-Identifier: Apache-2.0
//
// Properties of the rewriter that must hold for any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace coopvk::fuzz {

// What is wrong, if anything is.
std::optional<std::string> checkRewrite(std::span<const uint8_t> bytes);

// Whether types have so many members that spirv-val takes too long.
bool isTooDeepToValidate(std::span<const uint32_t> words);

}  // namespace coopvk::fuzz
