// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_atomic_float for 32-bit floats in buffers: as atomics on the words that hold them.
#pragma once

#include <optional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Whether words from behind the capabilities on (instruction by instruction) have atomic loads,
// stores or exchanges that may be of floats: these need no capability of their own.
bool mayHaveFloatAtomics(std::span<const uint32_t> instructions);

// Replaces OpAtomicLoad, OpAtomicStore, OpAtomicExchange and OpAtomicFAddEXT of 32-bit floats in
// buffers. Fails where the buffer is not known, as for pointers that were passed to a function.
std::optional<Error> lowerFloatAtomics(TypeTable& types);

}  // namespace coopvk::rewrite
