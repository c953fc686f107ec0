// SPDX-License-Identifier: Apache-2.0
//
// What the loader gets of the layer in a program with elevated rights: commands that pass
// everything down. The caller of such a program chooses its environment, its current folder and so
// everything that settings come from. Nothing of that is read here, no file is opened, and nothing
// is added.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::layer {

// Whether the program runs with other rights than whoever started it: set-uid, set-gid, or with
// capabilities (AT_SECURE, see getauxval(3)).
bool hasElevatedRights();

namespace pass {

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name);

}  // namespace pass
}  // namespace coopvk::layer
