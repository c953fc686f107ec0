// SPDX-License-Identifier: Apache-2.0
//
// With the manifest that `coopvk config --install` writes, the loader loads the layer into every
// program and calls this. If the environment, the application or a section of the configuration
// asks for the layer, the loader gets the layer; otherwise it gets commands that only pass every
// call on. This is decided when each instance is created.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::layer::configured {

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name);

}  // namespace coopvk::layer::configured
