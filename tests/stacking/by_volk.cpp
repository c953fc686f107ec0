// SPDX-License-Identifier: Apache-2.0
//
// In a program that uses volk.
#include <volk.h>

#include "vulkan.hpp"

bool findVulkan(Vulkan& vulkan) {
    if (volkInitialize() != VK_SUCCESS) return false;
    vulkan.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
    vulkan.vkCreateInstance = vkCreateInstance;
    return true;
}

void findVulkan(Vulkan& vulkan, VkInstance instance) {
    volkLoadInstance(instance);
#define STACKING_TAKE(name) vulkan.name = ::name;
    STACKING_COMMANDS(STACKING_TAKE)
#undef STACKING_TAKE
}
