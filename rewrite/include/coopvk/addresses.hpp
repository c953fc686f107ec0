// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace coopvk::rewrite {

// Whether a module declares that it uses addresses of buffers. Allocates nothing; false if the
// words are not SPIR-V.
bool usesAddresses(std::span<const uint32_t> words);

}  // namespace coopvk::rewrite
