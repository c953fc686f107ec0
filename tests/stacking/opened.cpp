// SPDX-License-Identifier: Apache-2.0
//
// In a program that opens the loader as it runs.
#include <dlfcn.h>

#include "vulkan.hpp"

bool findVulkan(Vulkan& vulkan) {
    void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
#define STACKING_TAKE(name) vulkan.name = reinterpret_cast<PFN_##name>(dlsym(library, #name));
    STACKING_COMMANDS(STACKING_TAKE)
#undef STACKING_TAKE
    return vulkan.vkCreateInstance != nullptr;
}

void findVulkan(Vulkan&, VkInstance) {}
