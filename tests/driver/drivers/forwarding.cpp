// SPDX-License-Identifier: Apache-2.0
#include "forwarding.hpp"

#ifndef COOPVK_FORWARDED
#define COOPVK_FORWARDED "libvulkan_lvp.so"
#endif

namespace {

template <typename Function>
Function find(const char* name) {
    static void* const library = dlopen(COOPVK_FORWARDED, RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

using coopvk::test::hooked;

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
