// SPDX-License-Identifier: Apache-2.0
#include "proc_table.hpp"

#include <algorithm>
#include <array>

#include "commands.hpp"
#include "guard.hpp"
#include "inputs/commands.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

#define COOPVK_CHECK(command, function) \
    static_assert(                      \
        std::is_convertible_v<decltype(&Guard<#command, &function>::call), PFN_##command>);
COOPVK_GLOBAL_COMMANDS(COOPVK_CHECK)
COOPVK_INSTANCE_COMMANDS(COOPVK_CHECK)
COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_CHECK)
COOPVK_ADDED_QUERIES(COOPVK_CHECK)
COOPVK_DEVICE_COMMANDS(COOPVK_CHECK)
COOPVK_SHADER_COMMANDS(COOPVK_CHECK)
COOPVK_ADDED_COMMANDS(COOPVK_CHECK)
COOPVK_CONVERSION_COMMANDS(COOPVK_CHECK)
COOPVK_RECORDED_COMMANDS(COOPVK_CHECK)
#undef COOPVK_CHECK

template <CommandName Name, auto Function>
PFN_vkVoidFunction entry() {
    return reinterpret_cast<PFN_vkVoidFunction>(&Guard<Name, Function>::call);
}

// clang-format off
#define COOPVK_ROW(kind, command, function) {#command, CommandKind::kind, entry<#command, &function>()},
#define COOPVK_GLOBAL(command, function) COOPVK_ROW(kGlobal, command, function)
#define COOPVK_INSTANCE(command, function) COOPVK_ROW(kInstance, command, function)
#define COOPVK_PHYSICAL(command, function) COOPVK_ROW(kPhysicalDevice, command, function)
#define COOPVK_QUERY(command, function) COOPVK_ROW(kAddedQuery, command, function)
#define COOPVK_DEVICE(command, function) COOPVK_ROW(kDevice, command, function)
#define COOPVK_SHADER(command, function) COOPVK_ROW(kShader, command, function)
#define COOPVK_ADDED(command, function) COOPVK_ROW(kAddedCommand, command, function)
#define COOPVK_CONVERSION(command, function) COOPVK_ROW(kConversion, command, function)

auto makeTable() {
    auto table = std::to_array<CommandEntry>({
        COOPVK_GLOBAL_COMMANDS(COOPVK_GLOBAL)
        COOPVK_INSTANCE_COMMANDS(COOPVK_INSTANCE)
        COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_PHYSICAL)
        COOPVK_ADDED_QUERIES(COOPVK_QUERY)
        COOPVK_DEVICE_COMMANDS(COOPVK_DEVICE)
        COOPVK_SHADER_COMMANDS(COOPVK_SHADER)
        COOPVK_ADDED_COMMANDS(COOPVK_ADDED)
        COOPVK_CONVERSION_COMMANDS(COOPVK_CONVERSION)
        COOPVK_RECORDED_COMMANDS(COOPVK_CONVERSION)
    });
    std::ranges::sort(table, {}, &CommandEntry::name);
    return table;
}
// clang-format on

template <typename Context>
PFN_vkVoidFunction nextInstanceProc(const Context& context, const char* name) {
    return context == nullptr ? nullptr : context->getNextProc(context->handle, name);
}

// On devices that emulate nothing, the layer intercepts nothing.
bool intercepts(const DeviceContext& device, const CommandEntry& command, bool nextHasIt) {
    const bool converts = device.emulates(rewrite::Extension::kNvCooperativeVector);
    switch (command.kind) {
        case CommandKind::kShader:
            return nextHasIt && device.rewrites();
        case CommandKind::kConversion:
            return nextHasIt && converts;
        case CommandKind::kAddedCommand:
            return converts;
        default:
            return false;
    }
}

}  // namespace

const CommandEntry* findCommand(std::string_view name) {
    static const auto table = makeTable();  // without an allocation, so that it cannot fail
    const auto found = std::ranges::lower_bound(table, name, {}, &CommandEntry::name);
    return found != table.end() && found->name == name ? &*found : nullptr;
}

PFN_vkVoidFunction getInstanceProcAddr(VkInstance instance, const char* name) {
    // Layers above use this to pass on commands that they do not know. The next layer's function
    // would bypass the queries that this layer adds.
    constexpr CommandName kPhysicalDeviceCommands = "vk_layerGetPhysicalDeviceProcAddr";
    if (name == std::string_view(kPhysicalDeviceCommands.text)) {
        return entry<kPhysicalDeviceCommands, &getPhysicalDeviceProcAddr>();
    }
    const CommandEntry* command = findCommand(name);
    if (command != nullptr && command->kind == CommandKind::kGlobal) return command->function;
    if (instance == VK_NULL_HANDLE) {
        // Many layers above get vkCreateDevice in this way.
        return name == std::string_view("vkCreateDevice") ? command->function : nullptr;
    }
    const auto context = instances().find(instance);
    const PFN_vkVoidFunction next = nextInstanceProc(context, name);
    if (command == nullptr) return next;
    const bool added =
        command->kind == CommandKind::kAddedQuery || command->kind == CommandKind::kAddedCommand;
    return next != nullptr || added ? command->function : nullptr;
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
    const PFN_vkVoidFunction next = nextInstanceProc(context, name);
    const bool intercept =
        command != nullptr && context != nullptr && intercepts(*context, *command, next != nullptr);
    if (intercept) return command->function;
    // Below the layer's own commands, which call these.
    const bool keepsInputs = context != nullptr && context->inputs != nullptr && next != nullptr;
    const PFN_vkVoidFunction keeping = keepsInputs ? inputs::findCommand(name) : nullptr;
    return keeping != nullptr ? keeping : next;
}

}  // namespace coopvk::layer
