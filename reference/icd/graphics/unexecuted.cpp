// SPDX-License-Identifier: Apache-2.0
#include "graphics/unexecuted.hpp"

#include <format>

#include "command_buffer.hpp"

namespace coopvk::reference::icd {
namespace {

// Of commands whose effect other commands need that would be reported themselves.
constexpr std::string_view kSilent[] = {"vkCmdSet", "vkCmdBind", "vkCmdEnd", "vkCmdNextSubpass"};

bool isSilent(std::string_view name) {
    return std::ranges::any_of(kSilent, [&](auto head) { return name.starts_with(head); });
}

// As reports of dispatches. A program calls some of these commands very often: each is named once.
void report(Execution& execution, std::string_view name) {
    Device& device = execution.device;
    const ReportAction action = device.settings().action;
    bool isNew = false;
    device.change([&] { isNew = device.unexecuted.insert(name).second; });
    if (isNew && action != ReportAction::kIgnore)
        send(
            *device.physical->instance,
            {"coopvk-reference-graphics",
             std::format("graphics: {} of {} is not executed: the device has no stages of graphics",
                         name, *execution.command.buffer),
             &device});
    if (action == ReportAction::kError) device.lose();
}

}  // namespace

void recordUnexecuted(CommandBuffer& commands, std::string_view name) {
    require(commands.device.settings().graphics, "the device does not execute this command");
    if (isSilent(name)) return;
    record(commands, [name](Execution& execution) { report(execution, name); });
}

}  // namespace coopvk::reference::icd
