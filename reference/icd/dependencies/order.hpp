// SPDX-License-Identifier: Apache-2.0
//
// What barriers, events, semaphores and fences have ordered so far before what a queue does next
// (Vulkan, "Execution and Memory Dependencies"). Commands have numbers in the order of their
// execution, whatever their queue. All commands of a queue before a barrier there are in its first
// scope, so for a stage of a queue and one of this queue one number says it all: what an earlier
// command did in the one happened before what later commands do in the other. In the same way one
// number says which writes are available, and which are visible.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "dependencies/scopes.hpp"

namespace coopvk::reference::icd {

using Time = uint32_t;  // number of a command; 0: none
using Times = std::array<Time, kStageCount>;
using QueueTimes = std::array<Times, kQueueCount>;  // of the stages of each queue

// A memory dependency; without uses an execution dependency.
struct Barrier {
    Scope first, second;
    // Memory of the host that the access scopes have.
    uintptr_t begin = 0, end = std::numeric_limits<uintptr_t>::max();
};

class Order {
 public:
    explicit Order(size_t queue = 0) : queue_(queue) {}
    size_t queue() const { return queue_; }
    // The first scopes are those of the commands of then's queue until `now`, when its order was
    // `then`: another object than this one.
    void apply(const Order& then, Time now, std::span<const Barrier> barriers);
    // What each stage did until then is complete, and visible to all that comes.
    void complete(const QueueTimes& until);
    // For each stage: until when the scope contains what it did.
    QueueTimes until(Time now, const Scope& first) const;

    // Of commands of `queue`.
    bool happened(Time time, size_t queue, Stage stage, Stage before) const {
        return time <= happened_[queue][size_t(stage)][size_t(before)];
    }
    bool isAvailable(Time time, size_t queue, Use write, Stage before, uintptr_t at) const {
        return time <= memoryAt(at).available[queue][size_t(write)][size_t(before)];
    }
    bool isVisible(Time time, size_t queue, Use write, Use to, uintptr_t at) const {
        return time <= memoryAt(at).visible[queue][size_t(write)][size_t(to)];
    }
    // All writes until then are visible to this use, wherever they are. `last`: of each use.
    using UseTimes = std::array<Time, kUseCount>;
    Time visibleAnywhere(Use to, const std::array<UseTimes, kQueueCount>& last) const;

 private:
    // From `begin` to the next one.
    struct Memory {
        uintptr_t begin = 0;
        std::array<std::array<Times, kUseCount>, kQueueCount> available = {};
        std::array<std::array<UseTimes, kUseCount>, kQueueCount> visible = {};
        bool isAs(const Memory& other) const {
            return available == other.available && visible == other.visible;
        }
    };

    const Memory& memoryAt(uintptr_t at) const;
    void divide(uintptr_t at);
    void unite();
    static void applyTo(Memory& memory, const Memory& then, size_t from, const Barrier& barrier,
                        const Times& made);

    size_t queue_;
    std::array<std::array<Times, kStageCount>, kQueueCount> happened_ = {};
    std::vector<Memory> memory_{1};  // in their order
};

}  // namespace coopvk::reference::icd
