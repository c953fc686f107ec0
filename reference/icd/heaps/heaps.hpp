// SPDX-License-Identifier: Apache-2.0
//
// Heaps of descriptors (VK_EXT_descriptor_heap): what programs write to them, and what descriptors
// say. Vulkan headers without the extension give a device without heaps.
#pragma once

#include "descriptor_bytes.hpp"

namespace coopvk::reference::icd {

#ifdef VK_EXT_descriptor_heap
inline constexpr VkPipelineCreateFlags2 kHeapPipeline =
    VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
inline constexpr VkShaderCreateFlagsEXT kHeapShader = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
#else
inline constexpr VkPipelineCreateFlags2 kHeapPipeline = 0;
inline constexpr VkShaderCreateFlagsEXT kHeapShader = 0;
#endif

// A secondary command buffer begins with heaps of the one that executes it.
void inheritHeaps(CommandBuffer& commands, const VkCommandBufferBeginInfo& info);
// Throws InvalidUse unless these heaps are bound, as the secondary command buffer expects.
void requireHeaps(const Heaps& bound, const Heaps& inherited);

// Whether a descriptor of this type is what a shader declares.
bool matches(VkDescriptorType type, const DeclaredAs& as);
// What the bytes of a descriptor in a heap say. Throws InvalidUse where they are none, or name what
// is not there.
Descriptor readInHeap(Device& device, const DeclaredAs& as, const std::byte* bytes,
                      const Addresses& addresses);
// The same bytes for the same numbers.
DescriptorBytes samplerBytes(const VkSamplerCreateInfo& info);
std::shared_ptr<const SamplerState> samplerIn(Device& device, const DescriptorBytes& written);

}  // namespace coopvk::reference::icd
