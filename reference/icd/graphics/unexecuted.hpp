// SPDX-License-Identifier: Apache-2.0
//
// Commands that this device does not execute: of graphics.
#pragma once

#include <string_view>

namespace coopvk::reference::icd {

struct CommandBuffer;

// Throws InvalidUse where the settings refuse graphics. Else a command that sets state, or ends
// something, does nothing, and the queue reports all others.
void recordUnexecuted(CommandBuffer& commands, std::string_view name);

}  // namespace coopvk::reference::icd
