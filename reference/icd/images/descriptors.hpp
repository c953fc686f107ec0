// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of images, texel buffers and samplers.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

bool isTexelBuffer(VkDescriptorType type);
Descriptor texelDescriptor(VkBufferView view, VkDescriptorType type, bool hasNull);
// Of memory in a buffer.
Descriptor texelDescriptor(const Range& range, VkFormat format, VkDescriptorType type);
// Of an image, a sampler, or both.
Descriptor texelDescriptor(const VkDescriptorImageInfo& info, VkDescriptorType type, bool hasNull);
std::vector<std::shared_ptr<const SamplerState>> immutableSamplers(
    const VkDescriptorSetLayoutBinding& binding);

// The array of a write that has what is written, and the bytes from one element to the next.
const void* dataOf(const VkWriteDescriptorSet& write);
size_t strideOf(VkDescriptorType type);

}  // namespace coopvk::reference::icd
