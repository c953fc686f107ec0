// SPDX-License-Identifier: Apache-2.0
#include "inputs/commands.hpp"

#include "objects/command_table.hpp"

namespace coopvk::layer::inputs {

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

}  // namespace coopvk::layer::inputs
