// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for tests, to be put right above the driver: it plants the fault that
// COOPVK_FAULT names into each shader module.
#include <vulkan/vk_layer.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "faults.hpp"

namespace {

std::mutex mutex;
// By dispatch key: what the next in the chain has.
std::map<void*, PFN_vkGetInstanceProcAddr> instances;
std::map<void*, PFN_vkGetDeviceProcAddr> devices;

void* keyOf(const void* handle) { return *static_cast<void* const*>(handle); }

template <typename Create>
auto* chainLink(const Create* info, VkStructureType type) {
    using Link = std::conditional_t<std::is_same_v<Create, VkInstanceCreateInfo>,
                                    VkLayerInstanceCreateInfo, VkLayerDeviceCreateInfo>;
    auto* node = static_cast<Link*>(const_cast<void*>(info->pNext));
    while (node && (node->sType != type || node->function != VK_LAYER_LINK_INFO))
        node = static_cast<Link*>(const_cast<void*>(node->pNext));
    return node;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
    auto* link = chainLink(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(mutex);
    instances[keyOf(*instance)] = next;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical,
                                            const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* device) {
    auto* link = chainLink(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr nextDevice = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(next(VK_NULL_HANDLE, "vkCreateDevice"));
    const VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(mutex);
    devices[keyOf(*device)] = nextDevice;
    return VK_SUCCESS;
}

PFN_vkGetDeviceProcAddr nextOf(VkDevice device) {
    const std::lock_guard lock(mutex);
    return devices.at(keyOf(device));
}

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module) {
    const auto create =
        reinterpret_cast<PFN_vkCreateShaderModule>(nextOf(device)(device, "vkCreateShaderModule"));
    const char* fault = std::getenv("COOPVK_FAULT");
    if (!fault) return create(device, info, allocator, module);
    const std::vector<uint32_t> words =
        coopvk::test::plant(fault, {info->pCode, info->pCode + info->codeSize / 4});
    VkShaderModuleCreateInfo changed = *info;
    changed.codeSize = words.size() * sizeof(uint32_t);
    changed.pCode = words.data();
    return create(device, &changed, allocator, module);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    if (std::strcmp(name, "vkCreateShaderModule") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(createShaderModule);
    return nextOf(device)(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance,
                                                             const char* name) {
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr);
    if (std::strcmp(name, "vkCreateInstance") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(createInstance);
    if (std::strcmp(name, "vkCreateDevice") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(createDevice);
    if (std::strcmp(name, "vkCreateShaderModule") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(createShaderModule);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    if (!instance) return nullptr;
    const std::unique_lock lock(mutex);
    const PFN_vkGetInstanceProcAddr next = instances.at(keyOf(instance));
    return next(instance, name);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
