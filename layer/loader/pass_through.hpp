// SPDX-License-Identifier: Apache-2.0
//
// Commands that only pass every call on. The loader gets these in a program with elevated rights,
// and in one for which the configuration does not switch the layer on (by_configuration.hpp). The
// caller of a program with elevated rights controls its environment, its current folder, and so
// everything from which settings come. So these commands read no settings, open no file, and add
// nothing.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::layer {

namespace pass {

// Whether the instance that the handle belongs to, or the device, was created here.
bool owns(VkInstance instance);
bool owns(VkPhysicalDevice device);
bool owns(VkDevice device);

VkResult createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                        VkInstance* instance);
VkResult createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkDevice* device);

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name);

}  // namespace pass
}  // namespace coopvk::layer
