// SPDX-License-Identifier: Apache-2.0
//
// Commands that pass everything down: all that the loader gets of the layer in a program with
// elevated rights, and in one for which the configuration does not switch the layer on
// (by_configuration.hpp). The caller of a program with elevated rights chooses its environment, its
// current folder and so everything that settings come from. Nothing of that is read here, no file
// is opened, and nothing is added.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::layer {

// Whether the program runs with other rights than whoever started it: set-uid, set-gid, or with
// capabilities (AT_SECURE, see getauxval(3)).
bool hasElevatedRights();

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
