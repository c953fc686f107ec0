// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for tests that intercepts the creation of shader modules, and further commands if
// it wants. A library with module_layer.cpp and definitions of createShaderModule and
// furtherCommands is such a layer.
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

// To be defined: the layer's functions for further commands.
struct Command {
    const char* name;
    PFN_vkVoidFunction function;
};
std::span<const Command> furtherCommands();

// The next layer's function; nullptr if it has none of that name.
PFN_vkVoidFunction deviceCommandBelow(VkDevice device, const char* name);

// The next layer's function.
VkResult createShaderModuleBelow(VkDevice device, const VkShaderModuleCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkShaderModule* module);

}  // namespace coopvk::test
