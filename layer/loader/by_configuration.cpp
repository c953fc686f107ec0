// SPDX-License-Identifier: Apache-2.0
#include "loader/by_configuration.hpp"

#include <array>
#include <string_view>

#include "loader/commands.hpp"
#include "loader/pass_through.hpp"
#include "objects/guard.hpp"
#include "report/log.hpp"
#include "report/messenger.hpp"
#include "settings/asked_for.hpp"
#include "settings/configuration.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer::configured {
namespace {

// If the layer is off in a program, it only logs mistakes in the configuration.
void tellFaults(const VkInstanceCreateInfo& info, const ConfiguredSettings& configured) {
    if (configured.faults.empty()) return;
    std::vector<std::string> complaints;
    const Settings settings = loadSettings(&info, complaints);
    Log log(settings.logLevel, settings.logFile);
    CreationMessenger creator(info);
    log.setListener(&creator);
    for (const std::string& fault : configured.faults) log.warn(fault);
}

VkResult createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                        VkInstance* instance) {
    if (isAskedFor(info)) return layer::createInstance(info, allocator, instance);
    const auto configured = configuredFor(readConfigurations(), programNames(info));
    if (configured.isEnabled()) return layer::createInstance(info, allocator, instance);
    tellFaults(*info, configured);
    return pass::createInstance(info, allocator, instance);
}

VkResult createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkDevice* device) {
    return pass::owns(physical) ? pass::createDevice(physical, info, allocator, device)
                                : layer::createDevice(physical, info, allocator, device);
}

// Commands that a program asks for before the layer knows for which instance.
const CommandEntry* ownCommand(std::string_view name) {
    static const auto table = sortedCommands(
        {COOPVK_COMMAND_ROW(kGlobal, "vkGetInstanceProcAddr", PFN_vkGetInstanceProcAddr,
                            configured::getInstanceProcAddr)
             COOPVK_COMMAND_ROW(kGlobal, "vk_layerGetPhysicalDeviceProcAddr",
                                PFN_GetPhysicalDeviceProcAddr,
                                configured::getPhysicalDeviceProcAddr)
                 COOPVK_COMMAND_ROW(kGlobal, "vkCreateInstance", PFN_vkCreateInstance,
                                    createInstance)
                     COOPVK_COMMAND_ROW(kPhysicalDevice, "vkCreateDevice", PFN_vkCreateDevice,
                                        createDevice)});
    return findCommand(table, name);
}

}  // namespace

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name) {
    if (const CommandEntry* found = ownCommand(name)) return found->function;
    return instance != VK_NULL_HANDLE && pass::owns(instance)
               ? pass::getInstanceProcAddr(instance, name)
               : layer::getInstanceProcAddr(instance, name);
}

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    if (instance == VK_NULL_HANDLE) return nullptr;
    return pass::owns(instance) ? pass::getPhysicalDeviceProcAddr(instance, name)
                                : layer::getPhysicalDeviceProcAddr(instance, name);
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name) {
    return pass::owns(device) ? pass::getDeviceProcAddr(device, name)
                              : layer::getDeviceProcAddr(device, name);
}

}  // namespace coopvk::layer::configured
