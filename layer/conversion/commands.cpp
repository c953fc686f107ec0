// SPDX-License-Identifier: Apache-2.0
#include "conversion/commands.hpp"

namespace coopvk::layer {

// clang-format off
#define COOPVK_ADDED(command, function) COOPVK_COMMAND_ROW(kAddedCommand, #command, PFN_##command, function)
#define COOPVK_CONVERSION(command, function) COOPVK_COMMAND_ROW(kConversion, #command, PFN_##command, function)

CommandList conversionCommands() {
    static const auto table = sortedCommands({
        COOPVK_ADDED_COMMANDS(COOPVK_ADDED)
        COOPVK_CONVERSION_COMMANDS(COOPVK_CONVERSION)
        COOPVK_RECORDED_COMMANDS(COOPVK_CONVERSION)
    });
    return table;
}
// clang-format on

}  // namespace coopvk::layer
