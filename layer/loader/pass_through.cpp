// SPDX-License-Identifier: Apache-2.0
#include "loader/pass_through.hpp"

#include <string_view>

#include "loader/link.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {

namespace pass {
namespace {

// For a handle this keeps only the next layer's look-up function.
struct NextOfInstance {
    VkInstance handle = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr getProc = nullptr;
    PFN_GetPhysicalDeviceProcAddr getPhysicalDeviceProc = nullptr;
};
struct NextOfDevice {
    PFN_vkGetDeviceProcAddr getProc = nullptr;
};

Registry<NextOfInstance>& nextOfInstances() {
    static auto* registry = new Registry<NextOfInstance>;
    return *registry;
}

Registry<NextOfDevice>& nextOfDevices() {
    static auto* registry = new Registry<NextOfDevice>;
    return *registry;
}

void destroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    if (instance == VK_NULL_HANDLE) return;
    const auto next = nextOfInstances().take(instance);
    if (next == nullptr) return;
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyInstance>(next->getProc(instance, "vkDestroyInstance"));
    if (destroy != nullptr) destroy(instance, allocator);
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == VK_NULL_HANDLE) return;
    const auto next = nextOfDevices().take(device);
    if (next == nullptr) return;
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyDevice>(next->getProc(device, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(device, allocator);
}

struct Command {
    std::string_view name;
    PFN_vkVoidFunction function;
    bool ofDevice = false;
};

template <CommandName Name, auto Function>
Command command(bool ofDevice = false) {
    return {Name.text, reinterpret_cast<PFN_vkVoidFunction>(&Guard<Name, Function>::call),
            ofDevice};
}

// Null for commands that the layer does not intercept.
const Command* findCommand(std::string_view name) {
    static const Command table[] = {
        command<"vkGetInstanceProcAddr", &getInstanceProcAddr>(),
        command<"vk_layerGetPhysicalDeviceProcAddr", &getPhysicalDeviceProcAddr>(),
        command<"vkCreateInstance", &createInstance>(),
        command<"vkDestroyInstance", &destroyInstance>(),
        command<"vkCreateDevice", &createDevice>(),
        command<"vkGetDeviceProcAddr", &getDeviceProcAddr>(true),
        command<"vkDestroyDevice", &destroyDevice>(true),
    };
    const auto* found = std::ranges::find(table, name, &Command::name);
    return found == std::end(table) ? nullptr : found;
}

}  // namespace

bool owns(VkInstance instance) { return nextOfInstances().find(instance) != nullptr; }
bool owns(VkPhysicalDevice device) { return nextOfInstances().find(device) != nullptr; }
bool owns(VkDevice device) { return nextOfDevices().find(device) != nullptr; }

VkResult createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                        VkInstance* instance) {
    auto* link = findLink<VkLayerInstanceCreateInfo>(info->pNext);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const auto next = std::make_shared<NextOfInstance>();
    next->getProc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next->getPhysicalDeviceProc = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(next->getProc(VK_NULL_HANDLE, "vkCreateInstance"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS) return result;
    OnExit destroy([&] {
        const auto function =
            reinterpret_cast<PFN_vkDestroyInstance>(next->getProc(*instance, "vkDestroyInstance"));
        if (function != nullptr) function(*instance, allocator);
        *instance = VK_NULL_HANDLE;
    });
    next->handle = *instance;
    nextOfInstances().add(*instance, next);
    destroy.dismiss();
    return VK_SUCCESS;
}

VkResult createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkDevice* device) {
    const auto instance = nextOfInstances().find(physical);
    auto* link = findLink<VkLayerDeviceCreateInfo>(info->pNext);
    if (instance == nullptr || link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const auto next = std::make_shared<NextOfDevice>();
    next->getProc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(
        link->u.pLayerInfo->pfnNextGetInstanceProcAddr(instance->handle, "vkCreateDevice"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = create(physical, info, allocator, device);
    if (result != VK_SUCCESS) return result;
    OnExit destroy([&] {
        const auto function =
            reinterpret_cast<PFN_vkDestroyDevice>(next->getProc(*device, "vkDestroyDevice"));
        if (function != nullptr) function(*device, allocator);
        *device = VK_NULL_HANDLE;
    });
    nextOfDevices().add(*device, next);
    destroy.dismiss();
    return VK_SUCCESS;
}

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name) {
    if (const Command* found = findCommand(name)) return found->function;
    if (instance == VK_NULL_HANDLE) return nullptr;
    const auto next = nextOfInstances().find(instance);
    return next == nullptr ? nullptr : next->getProc(instance, name);
}

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    if (instance == VK_NULL_HANDLE) return nullptr;
    const auto next = nextOfInstances().find(instance);
    if (next == nullptr || next->getPhysicalDeviceProc == nullptr) return nullptr;
    return next->getPhysicalDeviceProc(instance, name);
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name) {
    if (const Command* found = findCommand(name); found != nullptr && found->ofDevice) {
        return found->function;
    }
    const auto next = nextOfDevices().find(device);
    return next == nullptr ? nullptr : next->getProc(device, name);
}

}  // namespace pass
}  // namespace coopvk::layer
