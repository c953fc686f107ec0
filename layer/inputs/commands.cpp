// SPDX-License-Identifier: Apache-2.0
#include "inputs/commands.hpp"

#include "objects/command_table.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer::inputs {
namespace {

// A device's own command, or the one that stands in its place there.
template <auto Member, typename Type>
struct OfAnyDevice;
template <auto Member, typename R, typename First, typename... Rest>
struct OfAnyDevice<Member, R(VKAPI_PTR*)(First, Rest...)> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        return noThrow(deviceOf(first).next.*Member)(first, rest...);
    }
};

}  // namespace

void interpose(VkuDeviceDispatchTable& table) {
#define COOPVK_INTERPOSE(command, function) \
    if (table.command != nullptr) table.command = &Guard<"vk" #command, &function>::call;
    COOPVK_INPUT_COMMANDS(COOPVK_INTERPOSE)
#undef COOPVK_INTERPOSE
}

PFN_vkVoidFunction findCommand(std::string_view name) {
#define COOPVK_INPUT(command, function) \
    COOPVK_COMMAND_ROW(kInput, "vk" #command, PFN_vk##command, function)
    static const auto table = sortedCommands({COOPVK_INPUT_COMMANDS(COOPVK_INPUT)});
#undef COOPVK_INPUT
    const CommandEntry* const found = layer::findCommand(table, name);
    return found != nullptr ? found->function : nullptr;
}

PFN_vkVoidFunction findCommandOfAnyDevice(std::string_view name) {
#define COOPVK_INPUT(command, function)    \
    {"vk" #command, CommandKind::kInput,   \
     reinterpret_cast<PFN_vkVoidFunction>( \
         &OfAnyDevice<&VkuDeviceDispatchTable::command, PFN_vk##command>::call)},
    static const auto table = sortedCommands({COOPVK_INPUT_COMMANDS(COOPVK_INPUT)});
#undef COOPVK_INPUT
    const CommandEntry* const found = layer::findCommand(table, name);
    return found != nullptr ? found->function : nullptr;
}

}  // namespace coopvk::layer::inputs
