// SPDX-License-Identifier: Apache-2.0
//
// What stands around the dispatches of a conversion in a command buffer: the state is restored, and
// barriers make the dispatches' accesses, which are a shader's, those of transfers.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>

#include "objects/command_state.hpp"

namespace coopvk::layer {

// Ends the condition, since conversions must not depend on it.
void suspendCondition(const VkuDeviceDispatchTable& next, const CommandState& state,
                      VkCommandBuffer commands);

// Begins the condition again.
void resumeCondition(const VkuDeviceDispatchTable& next, const CommandState& state,
                     VkCommandBuffer commands);

// What the application made available to transfer accesses of all commands becomes visible to the
// dispatches. With these two barriers, dependencies need no change that do not name the conversion
// stage, so commands for these cost nothing.
void seeTransfers(const VkuDeviceDispatchTable& next, VkCommandBuffer commands);

// What the dispatches write becomes available, as if an application's barrier after them named
// shader accesses, too.
void showWrites(const VkuDeviceDispatchTable& next, VkCommandBuffer commands);

// Binds what the kernel replaced.
void bindAgain(const VkuDeviceDispatchTable& next, const CommandState& state,
               VkCommandBuffer commands);

}  // namespace coopvk::layer
