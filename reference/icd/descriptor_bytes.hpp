// SPDX-License-Identifier: Apache-2.0
//
// Descriptors in memory, of descriptor buffers and of heaps. All zeros behind the type: a null
// descriptor.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

inline constexpr VkDeviceSize kDescriptorSize = kDescriptorBytes;  // of any type

struct DescriptorBytes {
    uint32_t mark = 0;  // so that other bytes are not taken for a descriptor
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    uint64_t first = 0;   // an address, or the handle of a view or an image
    uint64_t second = 0;  // bytes from there on, or what else the descriptor says
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t more = 0;
};
static_assert(sizeof(DescriptorBytes) == kDescriptorSize);

// Of a buffer or a texel buffer. Throws InvalidUse if it is not there.
Descriptor bufferIn(const DescriptorBytes& written, const Addresses& addresses);
// The bytes at an address, which one buffer has. Throws InvalidUse else.
Range rangeAt(const Addresses& addresses, uint64_t address, uint64_t size);

}  // namespace coopvk::reference::icd
