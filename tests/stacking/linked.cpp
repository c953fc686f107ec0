// SPDX-License-Identifier: Apache-2.0
//
// In a program that links the loader.
#include "vulkan.hpp"

bool findVulkan(Vulkan& vulkan) {
#define STACKING_TAKE(name) vulkan.name = ::name;
    STACKING_COMMANDS(STACKING_TAKE)
#undef STACKING_TAKE
    return true;
}

void findVulkan(Vulkan&, VkInstance) {}
