// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_atomic_float for 32-bit floats in buffers: as atomics on the words that hold them.
#pragma once

#include <optional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Bits of Extension::kExtShaderAtomicFloat in ExtensionFeatures, by their members of
// VkPhysicalDeviceShaderAtomicFloatFeaturesEXT.
inline constexpr uint32_t kBufferFloat32Atomics = 1u << 0;
inline constexpr uint32_t kBufferFloat32AtomicAdd = 1u << 1;
inline constexpr uint32_t kSharedFloat32AtomicAdd = 1u << 5;
// Image and sparse image, with and without addition.
inline constexpr uint32_t kImageFloat32Atomics = 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11;
// Whatever allows AtomicFloat32AddEXT.
inline constexpr uint32_t kFloat32AtomicAdds =
    kBufferFloat32AtomicAdd | kSharedFloat32AtomicAdd | 1u << 9 | 1u << 11;

// Whether words from behind the capabilities on (instruction by instruction) have atomic loads,
// stores or exchanges that may be of floats: these need no capability.
bool mayHaveFloatAtomics(std::span<const uint32_t> instructions);
// Whether there are atomics of 32-bit floats in buffers that `native`, the features that the driver
// keeps, do not allow.
bool hasFloatAtomics(std::span<const uint32_t> instructions, uint32_t native);

// Replaces OpAtomicLoad, OpAtomicStore, OpAtomicExchange and OpAtomicFAddEXT of 32-bit floats in
// buffers, but for those that `native` allows. Fails where the buffer is not known, as for pointers
// that were passed to a function.
std::optional<Error> lowerFloatAtomics(TypeTable& types, uint32_t native);

}  // namespace coopvk::rewrite
