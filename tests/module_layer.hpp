// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for tests that sees shader modules on their way down, and nothing else. A library
// of module_layer.cpp and a definition of createShaderModule is one.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::test {

// To be defined: the layer's own vkCreateShaderModule.
VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module);

// The next one in the chain.
VkResult createShaderModuleBelow(VkDevice device, const VkShaderModuleCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkShaderModule* module);

}  // namespace coopvk::test
