// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coopvk::layer {

// For what must never make a command fail.
template <typename F>
void quietly(F function) noexcept {
    try {
        function();
    } catch (...) {
    }
}

}  // namespace coopvk::layer
