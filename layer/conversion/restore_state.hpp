// SPDX-License-Identifier: Apache-2.0
//
// Restores the state of a command buffer after a matrix conversion.
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

// Binds what the kernel replaced.
void bindAgain(const VkuDeviceDispatchTable& next, const CommandState& state,
               VkCommandBuffer commands);

}  // namespace coopvk::layer
