// SPDX-License-Identifier: Apache-2.0
//
// Properties of the layer's commands that must hold for any settings and any chains of structures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace coopvk::fuzz {

// What is wrong, if anything is.
std::optional<std::string> checkLayer(std::span<const uint8_t> bytes);

}  // namespace coopvk::fuzz
