// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's inputs, executed natively and rewritten on the reference device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace coopvk::fuzz {

// What is wrong, if anything is. Nothing is checked of modules that are invalid, refused, or not
// executable within a limit of steps.
std::optional<std::string> checkExecution(std::span<const uint8_t> bytes);
// The verdicts.
std::string explainExecution(std::span<const uint8_t> bytes);

}  // namespace coopvk::fuzz
