// SPDX-License-Identifier: Apache-2.0
#include "command_state.hpp"

namespace coopvk::layer {

void CommandStates::add(VkCommandBuffer commands, VkCommandPool pool) {
    CommandState* state = find(commands);
    if (state == nullptr) {
        const std::scoped_lock lock(mutex_);
        state =
            &states_
                 .emplace_back();  // lost for this device if there is no memory for the next line
        table_.set(commands, state);
    }
    state->forget();
    state->pool = pool;
}

}  // namespace coopvk::layer
