// SPDX-License-Identifier: Apache-2.0
#include "module_layer.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>

namespace coopvk::test {
namespace {

std::mutex tablesMutex;
// By dispatch key: the look-up function of the next layer.
std::map<void*, PFN_vkGetInstanceProcAddr> instances;
std::map<void*, PFN_vkGetDeviceProcAddr> devices;

void* keyOf(const void* handle) { return *static_cast<void* const*>(handle); }

template <typename Next>
Next find(const std::map<void*, Next>& map, const void* handle) {
    const std::lock_guard lock(tablesMutex);
    const auto found = map.find(keyOf(handle));
    return found != map.end() ? found->second : nullptr;
}

template <typename Create>
auto* chainLink(const Create* info, VkStructureType type) {
    using Link = std::conditional_t<std::is_same_v<Create, VkInstanceCreateInfo>,
                                    VkLayerInstanceCreateInfo, VkLayerDeviceCreateInfo>;
    auto* node = static_cast<Link*>(const_cast<void*>(info->pNext));
    while (node && (node->sType != type || node->function != VK_LAYER_LINK_INFO)) {
        node = static_cast<Link*>(const_cast<void*>(node->pNext));
    }
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
    const std::lock_guard lock(tablesMutex);
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
    // Without an instance, as many layers do this.
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(next(VK_NULL_HANDLE, "vkCreateDevice"));
    const VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(tablesMutex);
    devices[keyOf(*device)] = nextDevice;
    return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name);

struct Own {
    const char* name;
    PFN_vkVoidFunction function;
    bool ofDevice;
};
const Own kOwn[] = {
    {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr), false},
    {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr), true},
    {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(createInstance), false},
    {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(createDevice), false},
    {"vkCreateShaderModule", reinterpret_cast<PFN_vkVoidFunction>(createShaderModule), true},
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    for (const Own& own : kOwn) {
        if (own.ofDevice && std::strcmp(own.name, name) == 0) return own.function;
    }
    for (const Command& command : furtherCommands()) {
        if (std::strcmp(command.name, name) == 0 && deviceCommandBelow(device, name) != nullptr)
            return command.function;
    }
    return deviceCommandBelow(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance,
                                                             const char* name) {
    for (const Own& own : kOwn) {
        if (std::strcmp(own.name, name) == 0) return own.function;
    }
    if (instance == VK_NULL_HANDLE) return nullptr;
    for (const Command& command : furtherCommands()) {
        if (std::strcmp(command.name, name) == 0) return command.function;
    }
    const auto next = find(instances, instance);
    return next != nullptr ? next(instance, name) : nullptr;
}

}  // namespace

PFN_vkVoidFunction deviceCommandBelow(VkDevice device, const char* name) {
    const auto next = find(devices, device);
    return next != nullptr ? next(device, name) : nullptr;
}

VkResult createShaderModuleBelow(VkDevice device, const VkShaderModuleCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkShaderModule* module) {
    return reinterpret_cast<PFN_vkCreateShaderModule>(
        deviceCommandBelow(device, "vkCreateShaderModule"))(device, info, allocator, module);
}

}  // namespace coopvk::test

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = coopvk::test::getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = coopvk::test::getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
