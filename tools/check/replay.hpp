// SPDX-License-Identifier: Apache-2.0
//
// The two executions behind a verdict, so that a debugger can repeat them.
#pragma once

#include <functional>
#include <optional>

#include "check.hpp"

namespace coopvk::check {

struct ReplaySide {
    std::vector<uint32_t> words;
    Side side;  // without a program: it is not executed
    reference::Settings settings;
};

struct Replay {
    Outcome outcome;
    ReplaySide native, rewritten;
    Memory memory;
    std::array<uint32_t, 3> groups = {1, 1, 1};

    reference::Dispatch dispatch() const {
        return {.groups = groups,
                .base = memory.given != nullptr ? memory.given->base : std::array<uint32_t, 3>{},
                .pushConstants = memory.pushConstants};
    }
};

// The executions of the first fault; without one, those of the first outcome that agrees, or of
// any. Nothing: none was executed. Throws std::bad_alloc.
std::optional<Replay> findReplay(const Subject& subject, Options options);

}  // namespace coopvk::check
