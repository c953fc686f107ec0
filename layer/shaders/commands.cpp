// SPDX-License-Identifier: Apache-2.0
#include "shaders/commands.hpp"

namespace coopvk::layer {

// clang-format off
#define COOPVK_LOSS(command, function) COOPVK_COMMAND_ROW(kLoss, #command, PFN_##command, function)
#define COOPVK_SHADER(command, function) COOPVK_COMMAND_ROW(kShader, #command, PFN_##command, function)

CommandList shaderCommands() {
    static const auto table = sortedCommands({
        COOPVK_SHADER_COMMANDS(COOPVK_SHADER)
        COOPVK_LOSS_COMMANDS(COOPVK_LOSS)
    });
    return table;
}
// clang-format on

}  // namespace coopvk::layer
