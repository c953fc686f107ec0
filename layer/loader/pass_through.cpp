// SPDX-License-Identifier: Apache-2.0
#include "loader/pass_through.hpp"

#include <string_view>

#include "loader/commands.hpp"
#include "loader/link.hpp"
#include "objects/command_table.hpp"
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
    destroyBelow<PFN_vkDestroyInstance>(next->getProc, "vkDestroyInstance", instance, allocator);
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == VK_NULL_HANDLE) return;
    const auto next = nextOfDevices().take(device);
    if (next == nullptr) return;
    destroyBelow<PFN_vkDestroyDevice>(next->getProc, "vkDestroyDevice", device, allocator);
}

// Null for commands that the layer does not intercept.
const CommandEntry* ownCommand(std::string_view name) {
    static const auto table = sortedCommands(
        {COOPVK_COMMAND_ROW(kGlobal, "vkGetInstanceProcAddr", PFN_vkGetInstanceProcAddr,
                            pass::getInstanceProcAddr)
             COOPVK_COMMAND_ROW(kGlobal, "vk_layerGetPhysicalDeviceProcAddr",
                                PFN_GetPhysicalDeviceProcAddr, pass::getPhysicalDeviceProcAddr)
                 COOPVK_COMMAND_ROW(kGlobal, "vkEnumerateInstanceVersion",
                                    PFN_vkEnumerateInstanceVersion, enumerateInstanceVersion)
                     COOPVK_COMMAND_ROW(kGlobal, "vkCreateInstance", PFN_vkCreateInstance,
                                        pass::createInstance)
                         COOPVK_COMMAND_ROW(kInstance, "vkDestroyInstance", PFN_vkDestroyInstance,
                                            destroyInstance)
                             COOPVK_COMMAND_ROW(kPhysicalDevice, "vkCreateDevice",
                                                PFN_vkCreateDevice, pass::createDevice)
                                 COOPVK_COMMAND_ROW(kDevice, "vkGetDeviceProcAddr",
                                                    PFN_vkGetDeviceProcAddr,
                                                    pass::getDeviceProcAddr)
                                     COOPVK_COMMAND_ROW(kDevice, "vkDestroyDevice",
                                                        PFN_vkDestroyDevice, destroyDevice)});
    return findCommand(table, name);
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
    auto undo =
        undoBelow<PFN_vkDestroyInstance>(next->getProc, "vkDestroyInstance", instance, allocator);
    next->handle = *instance;
    nextOfInstances().add(*instance, next);
    undo.dismiss();
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
    auto undo = undoBelow<PFN_vkDestroyDevice>(next->getProc, "vkDestroyDevice", device, allocator);
    nextOfDevices().add(*device, next);
    undo.dismiss();
    return VK_SUCCESS;
}

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name) {
    if (const CommandEntry* found = ownCommand(name)) return found->function;
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
    const CommandEntry* found = ownCommand(name);
    if (found != nullptr && found->kind == CommandKind::kDevice) return found->function;
    const auto next = nextOfDevices().find(device);
    return next == nullptr ? nullptr : next->getProc(device, name);
}

}  // namespace pass
}  // namespace coopvk::layer
