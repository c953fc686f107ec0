// SPDX-License-Identifier: Apache-2.0
//
// A driver whose commands in command buffers, and submissions, return at once, so that what a layer
// above takes is not lost in what a driver takes. All else is lavapipe's.
#include <dlfcn.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace {

// As many as a thread has at once.
constexpr uint32_t kCommandBuffers = 64;
struct CommandBuffer {
    VK_LOADER_DATA loader = {ICD_LOADER_MAGIC};
};
thread_local CommandBuffer commandBuffers[kCommandBuffers];

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice, const VkCommandBufferAllocateInfo* info,
                                        VkCommandBuffer* buffers) {
    if (info->commandBufferCount > kCommandBuffers) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
        commandBuffers[i].loader.loaderMagic = ICD_LOADER_MAGIC;
        buffers[i] = reinterpret_cast<VkCommandBuffer>(&commandBuffers[i]);
    }
    return VK_SUCCESS;
}

// Callers pass arguments that it does not take, which the calling conventions of all systems allow.
VKAPI_ATTR VkResult VKAPI_CALL succeed() { return VK_SUCCESS; }

template <typename Function>
Function find(const char* name) {
    static void* const library = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

PFN_vkGetDeviceProcAddr nextDeviceProc = nullptr;

// The driver's function, or the one in its place.
PFN_vkVoidFunction inPlaceOf(std::string_view name, PFN_vkVoidFunction function) {
    if (function == nullptr) return nullptr;
    constexpr std::string_view kQuiet[] = {"vkBeginCommandBuffer", "vkEndCommandBuffer",
                                           "vkFreeCommandBuffers", "vkQueueSubmit2",
                                           "vkQueueSubmit2KHR"};
    const bool isQuiet = std::ranges::find(kQuiet, name) != std::end(kQuiet);
    if (name.starts_with("vkCmd") || isQuiet) {
        return reinterpret_cast<PFN_vkVoidFunction>(succeed);
    }
    if (name == "vkAllocateCommandBuffers") return reinterpret_cast<PFN_vkVoidFunction>(allocate);
    return function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    return inPlaceOf(name, nextDeviceProc(device, name));
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
    const PFN_vkVoidFunction function = next == nullptr ? nullptr : next(instance, name);
    if (function == nullptr || name != std::string_view("vkGetDeviceProcAddr")) {
        return inPlaceOf(name, function);
    }
    nextDeviceProc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                              const char* name) {
    const auto next = find<decltype(&vk_icdGetPhysicalDeviceProcAddr)>(__func__);
    return next == nullptr ? nullptr : next(instance, name);
}
