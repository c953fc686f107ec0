// SPDX-License-Identifier: Apache-2.0
//
// What barriers, events, semaphores and fences have ordered so far (Vulkan, "Execution and Memory
// Dependencies"). Commands have numbers in the order of their execution. All commands before a
// barrier are in its first scope, so for two stages one number says it all: what an earlier command
// did in the one happened before what later commands do in the other. In the same way one number
// says which writes are available, and which are visible.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "dependencies/scopes.hpp"

namespace coopvk::reference::icd {

using Time = uint32_t;  // number of a command; 0: none
using Times = std::array<Time, kStageCount>;

// A memory dependency; without uses an execution dependency.
struct Barrier {
    Scope first, second;
    // Memory of the host that the access scopes have.
    uintptr_t begin = 0, end = std::numeric_limits<uintptr_t>::max();
};

class Order {
 public:
    // The first scopes are those of the commands until `now`, when the order was `then`: another
    // object than this one.
    void apply(const Order& then, Time now, std::span<const Barrier> barriers);
    // What each stage did until then is complete, and visible to all that comes.
    void complete(const Times& until);
    // For each stage: until when the scope contains what it did.
    Times until(Time now, const Scope& first) const;

    bool happened(Time time, Stage stage, Stage before) const {
        return time <= happened_[size_t(stage)][size_t(before)];
    }
    bool isAvailable(Time time, Use write, Stage before, uintptr_t at) const {
        return time <= memoryAt(at).available[size_t(write)][size_t(before)];
    }
    bool isVisible(Time time, Use write, Use to, uintptr_t at) const {
        return time <= memoryAt(at).visible[size_t(write)][size_t(to)];
    }
    // All writes until then are visible to this use, wherever they are. `last`: of each use.
    Time visibleAnywhere(Use to, const std::array<Time, kUseCount>& last) const;

 private:
    // From `begin` to the next one.
    struct Memory {
        uintptr_t begin = 0;
        std::array<Times, kUseCount> available = {};
        std::array<std::array<Time, kUseCount>, kUseCount> visible = {};
        bool isAs(const Memory& other) const {
            return available == other.available && visible == other.visible;
        }
    };

    const Memory& memoryAt(uintptr_t at) const;
    void divide(uintptr_t at);
    void unite();
    void applyTo(Memory& memory, const Memory& then, const Times& until, const Barrier& barrier);

    std::array<Times, kStageCount> happened_ = {};
    std::vector<Memory> memory_{1};  // in their order
};

}  // namespace coopvk::reference::icd
