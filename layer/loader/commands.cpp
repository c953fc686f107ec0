// SPDX-License-Identifier: Apache-2.0
#include "loader/commands.hpp"

namespace coopvk::layer {

// clang-format off
#define COOPVK_GLOBAL(command, function) COOPVK_COMMAND_ROW(kGlobal, #command, PFN_##command, function)
#define COOPVK_INSTANCE(command, function) COOPVK_COMMAND_ROW(kInstance, #command, PFN_##command, function)
#define COOPVK_PHYSICAL(command, function) COOPVK_COMMAND_ROW(kPhysicalDevice, #command, PFN_##command, function)
#define COOPVK_QUERY(command, function) COOPVK_COMMAND_ROW(kAddedQuery, #command, PFN_##command, function)
#define COOPVK_DEVICE(command, function) COOPVK_COMMAND_ROW(kDevice, #command, PFN_##command, function)
#define COOPVK_CUDA(command, function) COOPVK_COMMAND_ROW(kCudaCommand, #command, PFN_##command, function)

CommandList loaderCommands() {
    static const auto table = sortedCommands({
        COOPVK_GLOBAL_COMMANDS(COOPVK_GLOBAL)
        COOPVK_INSTANCE_COMMANDS(COOPVK_INSTANCE)
        COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_PHYSICAL)
        COOPVK_ADDED_QUERIES(COOPVK_QUERY)
        COOPVK_DEVICE_COMMANDS(COOPVK_DEVICE)
        COOPVK_CUDA_COMMANDS(COOPVK_CUDA)
    });
    return table;
}
// clang-format on

}  // namespace coopvk::layer
