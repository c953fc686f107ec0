// SPDX-License-Identifier: Apache-2.0
#include "inputs/commands.hpp"

#include <algorithm>
#include <array>

#include "guard.hpp"

namespace coopvk::layer::inputs {
namespace {

struct CommandRow {
    std::string_view name;
    PFN_vkVoidFunction function;
};

template <CommandName Name, auto Function>
PFN_vkVoidFunction entry() {
    return reinterpret_cast<PFN_vkVoidFunction>(&Guard<Name, Function>::call);
}

auto makeTable() {
#define COOPVK_INPUT_ROW(command, function) {"vk" #command, entry<"vk" #command, &function>()},
    auto table = std::to_array<CommandRow>({COOPVK_INPUT_COMMANDS(COOPVK_INPUT_ROW)});
#undef COOPVK_INPUT_ROW
    std::ranges::sort(table, {}, &CommandRow::name);
    return table;
}

}  // namespace

void interpose(VkuDeviceDispatchTable& table) {
#define COOPVK_INTERPOSE(command, function) \
    if (table.command != nullptr) table.command = &Guard<"vk" #command, &function>::call;
    COOPVK_INPUT_COMMANDS(COOPVK_INTERPOSE)
#undef COOPVK_INTERPOSE
}

PFN_vkVoidFunction findCommand(std::string_view name) {
    static const auto table = makeTable();  // without an allocation, so that it cannot fail
    const auto found = std::ranges::lower_bound(table, name, {}, &CommandRow::name);
    return found != table.end() && found->name == name ? found->function : nullptr;
}

}  // namespace coopvk::layer::inputs
