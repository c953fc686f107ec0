// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan driver whose device is called a GPU: lavapipe with another device type. On CPUs coopvk's
// back-end `auto` never takes the driver's own matrices.
#include <dlfcn.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <string_view>

namespace {

template <typename Function>
Function find(const char* name) {
    static void* const library = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

// For the instance that was queried last: lavapipe has the same functions for all.
PFN_vkGetPhysicalDeviceProperties nextProperties = nullptr;
PFN_vkGetPhysicalDeviceProperties2 nextProperties2 = nullptr;

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice device,
                                         VkPhysicalDeviceProperties* properties) {
    nextProperties(device, properties);
    properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties2* properties) {
    nextProperties2(device, properties);
    properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

template <typename Function>
PFN_vkVoidFunction hook(PFN_vkVoidFunction below, Function& next, Function own) {
    if (below == nullptr) return nullptr;
    next = reinterpret_cast<Function>(below);
    return reinterpret_cast<PFN_vkVoidFunction>(own);
}

PFN_vkVoidFunction hooked(std::string_view name, PFN_vkVoidFunction below) {
    if (name == "vkGetPhysicalDeviceProperties") return hook(below, nextProperties, &getProperties);
    if (name == "vkGetPhysicalDeviceProperties2" || name == "vkGetPhysicalDeviceProperties2KHR") {
        return hook(below, nextProperties2, &getProperties2);
    }
    return below;
}

}  // namespace

#define COOPVK_EXPORT extern "C" __attribute__((visibility("default"))) VKAPI_ATTR

COOPVK_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version);
COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                      const char* name);
COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                            const char* name);

VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    const auto next = find<decltype(&vk_icdNegotiateLoaderICDInterfaceVersion)>(__func__);
    return next == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : next(version);
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
    const auto next = find<decltype(&vk_icdGetInstanceProcAddr)>(__func__);
    return next == nullptr ? nullptr : hooked(name, next(instance, name));
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                              const char* name) {
    const auto next = find<decltype(&vk_icdGetPhysicalDeviceProcAddr)>(__func__);
    return next == nullptr ? nullptr : hooked(name, next(instance, name));
}
