// SPDX-License-Identifier: Apache-2.0
//
// What a command buffer gets back after a matrix conversion.
#pragma once

#include "command_state.hpp"

namespace coopvk::layer {

// Conversions happen whatever the condition is.
void suspendCondition(const CommandState& state, VkCommandBuffer commands);

// Gives the application back what conversions replaced, and the condition.
void restoreState(const CommandState& state, VkCommandBuffer commands);

}  // namespace coopvk::layer
