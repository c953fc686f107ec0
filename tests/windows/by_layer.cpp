// SPDX-License-Identifier: Apache-2.0
//
// In a program that brings the layer along, above the system's Vulkan, as tests/stacking's three
// ways find it.
#include "loader.hpp"

// after it
#include "../stacking/vulkan.hpp"

namespace {

using coopvk::test::Loader;

// There is one instance.
struct World {
    Loader loader{COOPVK_MANIFEST};
    PFN_vkGetInstanceProcAddr driver = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
};

World& world() {
    static World only;
    return only;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks*, VkInstance* instance) {
    const VkResult result = world().loader.createInstance(*info, world().driver, instance);
    if (result == VK_SUCCESS) world().instance = *instance;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical,
                                            const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks*, VkDevice* device) {
    return world().loader.createDevice(world().instance, physical, *info, world().driver, device);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance,
                                                             const char* name) {
    return world().loader.instanceCommand<PFN_vkVoidFunction>(instance, name);
}

}  // namespace

bool findVulkan(Vulkan& vulkan) {
    const HMODULE library = LoadLibraryW(L"vulkan-1.dll");
    if (library == nullptr) return false;
    world().driver = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
        reinterpret_cast<void*>(GetProcAddress(library, "vkGetInstanceProcAddr")));
    vulkan.vkGetInstanceProcAddr = getInstanceProcAddr;
    vulkan.vkCreateInstance = createInstance;
    return world().driver != nullptr;
}

void findVulkan(Vulkan& vulkan, VkInstance instance) {
#define STACKING_TAKE(name) \
    vulkan.name = reinterpret_cast<PFN_##name>(getInstanceProcAddr(instance, #name));
    STACKING_COMMANDS(STACKING_TAKE)
#undef STACKING_TAKE
    vulkan.vkGetInstanceProcAddr = getInstanceProcAddr;
    vulkan.vkCreateInstance = createInstance;
    vulkan.vkCreateDevice = createDevice;
}
