// SPDX-License-Identifier: Apache-2.0
//
// What the loader gets of the layer by the manifest that `coopvk config --install` writes, which
// loads it into every program: the layer where the environment, the application or a section of the
// configuration asks for it; otherwise commands that pass everything down, and nothing else. It is
// decided as each instance is created.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace coopvk::layer::configured {

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name);

}  // namespace coopvk::layer::configured
