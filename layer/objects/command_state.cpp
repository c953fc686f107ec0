// SPDX-License-Identifier: Apache-2.0
#include "objects/command_state.hpp"

namespace coopvk::layer {

void CommandStates::add(VkCommandBuffer commands, VkCommandPool pool) {
    CommandState* state = find(commands);
    if (state == nullptr) {
        const std::scoped_lock lock(mutex_);
        // Without memory for the next line this is lost until the device ends.
        state = &states_.emplace_back();
        table_.set(commands, state);
    }
    state->forget();
    state->pool = pool;
}

}  // namespace coopvk::layer
