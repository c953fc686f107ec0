// SPDX-License-Identifier: Apache-2.0
//
// Lowers VK_EXT_shader_atomic_float for 32-bit floats in buffers to integer atomics.
#pragma once

#include <optional>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Bits of Extension::kExtShaderAtomicFloat in ExtensionFeatures: members of
// VkPhysicalDeviceShaderAtomicFloatFeaturesEXT.
inline constexpr uint32_t kBufferFloat32Atomics = 1u << 0;
inline constexpr uint32_t kBufferFloat32AtomicAdd = 1u << 1;
inline constexpr uint32_t kSharedFloat32AtomicAdd = 1u << 5;
// shaderImageFloat32Atomics, sparseImageFloat32Atomics and the AtomicAdd feature of each.
inline constexpr uint32_t kImageFloat32Atomics = 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11;
// The features that allow the capability AtomicFloat32AddEXT.
inline constexpr uint32_t kFloat32AtomicAdds =
    kBufferFloat32AtomicAdd | kSharedFloat32AtomicAdd | 1u << 9 | 1u << 11;

// Whether a module has atomics of 32-bit floats in buffers that the features in `native` do not
// allow. No capability declares loads, stores and exchanges. `instructions`: the module's words
// after the capabilities.
bool hasFloatAtomics(std::span<const uint32_t> instructions, uint32_t native);

// Lowers OpAtomicLoad, OpAtomicStore, OpAtomicExchange and OpAtomicFAddEXT of 32-bit floats in
// buffers, unless features in `native` allow them. Fails if the buffer is not known, as for
// pointers that are function parameters.
std::optional<Error> lowerFloatAtomics(TypeTable& types, uint32_t native);

}  // namespace coopvk::rewrite
