// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/debug/session.hpp"

namespace coopvk::tool {

// Numbers from a place on, in the formats that the module has there; of shared memory 32-bit words.
std::string memoryText(const check::Replay& replay, const NamedBytes& place, uint64_t count,
                       std::span<const std::byte> bytes);

}  // namespace coopvk::tool
