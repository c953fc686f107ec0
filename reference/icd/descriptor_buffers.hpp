// SPDX-License-Identifier: Apache-2.0
//
// Descriptors in memory (VK_EXT_descriptor_buffer): what vkGetDescriptorEXT writes, where layouts
// have it, and what dispatches read.
#pragma once

#include "descriptor_bytes.hpp"

namespace coopvk::reference::icd {

inline constexpr VkDeviceSize kDescriptorBufferAlignment = 64;

// From the begin of a set: of a binding; behind the last one.
VkDeviceSize placeOf(const Bindings& bindings, uint32_t binding);
VkDeviceSize sizeOf(const Bindings& bindings);

// What the bytes of a descriptor say. Throws InvalidUse where they are none of this binding, or
// name what is not there.
Descriptor readDescriptor(const Binding& binding, const std::byte* bytes, bool hasNull,
                          const Addresses& addresses);

}  // namespace coopvk::reference::icd
