// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for tests that sees shader modules on their way down, and whatever else it asks
// for. A library of module_layer.cpp and definitions of createShaderModule and furtherCommands is
// one.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <span>

namespace coopvk::test {

// To be defined: the layer's own vkCreateShaderModule.
VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module);

// To be defined: what more the layer has a command of its own for.
struct Command {
    const char* name;
    PFN_vkVoidFunction function;
};
std::span<const Command> furtherCommands();

// The next one in the chain; nullptr where there is none of that name.
PFN_vkVoidFunction deviceCommandBelow(VkDevice device, const char* name);

// The next one in the chain.
VkResult createShaderModuleBelow(VkDevice device, const VkShaderModuleCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkShaderModule* module);

}  // namespace coopvk::test
