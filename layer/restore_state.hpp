// SPDX-License-Identifier: Apache-2.0
//
// Restores the state of a command buffer after a matrix conversion.
#pragma once

#include "command_state.hpp"

namespace coopvk::layer {

// Ends the condition, since conversions must not depend on it.
void suspendCondition(const CommandState& state, VkCommandBuffer commands);

// Restores what conversions replaced, and begins the condition again.
void restoreState(const CommandState& state, VkCommandBuffer commands);

}  // namespace coopvk::layer
