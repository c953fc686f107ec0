// SPDX-License-Identifier: Apache-2.0
#include "loader/proc_table.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "conversion/commands.hpp"
#include "inputs/commands.hpp"
#include "loader/commands.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"

namespace coopvk::layer {
namespace {

template <typename Context>
PFN_vkVoidFunction nextProc(const Context& context, const char* name) {
    return context == nullptr ? nullptr : context->getNextProc(context->handle, name);
}

// On devices that emulate nothing, the layer intercepts nothing.
bool intercepts(const DeviceContext& device, const CommandEntry& command, bool nextHasIt) {
    const bool converts = device.emulates(rewrite::Extension::kNvCooperativeVector);
    switch (command.kind) {
        case CommandKind::kShader:
            return nextHasIt && device.rewrites();
        case CommandKind::kLoss:
            return nextHasIt && device.rewrites() &&
                   (device.faults != nullptr || device.statistics != nullptr);
        case CommandKind::kConversion:
            return nextHasIt && converts;
        case CommandKind::kAddedCommand:
            return converts;
        case CommandKind::kCudaCommand:
            return device.emulates(rewrite::Extension::kNvCudaKernelLaunch);
        default:
            return false;
    }
}

// Whether coopvk emulates an extension on any device of the instance.
bool emulatesAnywhere(InstanceContext& instance, rewrite::Extension extension) {
    uint32_t count = 0;
    const auto enumerate = instance.next.EnumeratePhysicalDevices;
    if (enumerate(instance.handle, &count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkPhysicalDevice> devices(count);
    if (enumerate(instance.handle, &count, devices.data()) < VK_SUCCESS) return false;
    return std::ranges::any_of(std::span(devices).first(count), [&](VkPhysicalDevice device) {
        return instance.physicalDevice(device).emulated.contains(extension);
    });
}

// A command of devices, for any device.
PFN_vkVoidFunction findForAnyDevice(InstanceContext& instance, const char* name,
                                    const CommandEntry* command, PFN_vkVoidFunction next) {
    if (command == nullptr) {
        const bool keepsInputs = instance.settings.dumpInputs.bytes != 0 && instance.dumps.isOn();
        const auto keeping =
            keepsInputs && next != nullptr ? inputs::findCommandOfAnyDevice(name) : nullptr;
        return keeping != nullptr ? keeping : next;
    }
    if (next != nullptr || command->kind == CommandKind::kAddedQuery) return command->function;
    const bool isCudas = command->kind == CommandKind::kCudaCommand;
    if (!isCudas && command->kind != CommandKind::kAddedCommand) return nullptr;
    const bool isAdded =
        emulatesAnywhere(instance, isCudas ? rewrite::Extension::kNvCudaKernelLaunch
                                           : rewrite::Extension::kNvCooperativeVector);
    return isAdded ? command->function : nullptr;
}

}  // namespace

const CommandEntry* findCommand(std::string_view name) {
    for (const CommandList list : {loaderCommands(), shaderCommands(), conversionCommands()}) {
        if (const CommandEntry* const found = findCommand(list, name)) return found;
    }
    return nullptr;
}

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name) {
    // Layers above use this to pass on commands that they do not know. The next layer's function
    // would bypass the queries that this layer adds.
    constexpr CommandName kPhysicalDeviceCommands = "vk_layerGetPhysicalDeviceProcAddr";
    if (name == std::string_view(kPhysicalDeviceCommands.text)) {
        return guardedEntry<kPhysicalDeviceCommands, PFN_GetPhysicalDeviceProcAddr,
                            &getPhysicalDeviceProcAddr>();
    }
    const CommandEntry* command = findCommand(name);
    if (command != nullptr && command->kind == CommandKind::kGlobal) return command->function;
    if (instance == VK_NULL_HANDLE) {
        // Many layers above get vkCreateDevice in this way.
        return name == std::string_view("vkCreateDevice") ? command->function : nullptr;
    }
    const auto context = instances().find(instance);
    if (context == nullptr) return nullptr;
    return findForAnyDevice(*context, name, command, nextProc(context, name));
}

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    const CommandEntry* command = findCommand(name);
    if (command != nullptr && (command->kind == CommandKind::kPhysicalDevice ||
                               command->kind == CommandKind::kAddedQuery)) {
        return command->function;
    }
    if (instance == VK_NULL_HANDLE) return nullptr;
    const auto context = instances().find(instance);
    if (context == nullptr || context->getNextPhysicalDeviceProc == nullptr) return nullptr;
    return context->getNextPhysicalDeviceProc(instance, name);
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char* name) {
    const CommandEntry* command = findCommand(name);
    if (command != nullptr && command->kind == CommandKind::kDevice) return command->function;
    const auto context = devices().find(device);
    const PFN_vkVoidFunction next = nextProc(context, name);
    const bool intercept =
        command != nullptr && context != nullptr && intercepts(*context, *command, next != nullptr);
    if (intercept) return command->function;
    // Below the layer's own commands, which call these.
    const bool keepsInputs = context != nullptr && context->inputs != nullptr && next != nullptr;
    const PFN_vkVoidFunction keeping = keepsInputs ? inputs::findCommand(name) : nullptr;
    return keeping != nullptr ? keeping : next;
}

}  // namespace coopvk::layer
