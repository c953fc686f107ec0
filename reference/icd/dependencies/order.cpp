// SPDX-License-Identifier: Apache-2.0
#include "dependencies/order.hpp"

#include <algorithm>

namespace coopvk::reference::icd {
namespace {

void rise(Time& time, Time to) { time = std::max(time, to); }

template <typename F>
void forStages(const Scope& scope, F&& f) {
    for (size_t i = 0; i < kStageCount; ++i)
        if (scope.has(Stage(i))) f(i);
}

template <typename F>
void forWrites(F&& f) {
    for (size_t i = 0; i < kUseCount; ++i)
        if (isWrite(Use(i))) f(i);
}

}  // namespace

// A chain: what happened before a stage of the scope is in it, too.
Times Order::until(Time now, const Scope& first) const {
    Times until = {};
    for (size_t stage = 0; stage < kStageCount; ++stage)
        forStages(first,
                  [&](size_t s) { rise(until[stage], s == stage ? now : happened_[stage][s]); });
    return until;
}

const Order::Memory& Order::memoryAt(uintptr_t at) const {
    const auto behind = std::ranges::upper_bound(memory_, at, {}, &Memory::begin);
    return *(behind - 1);
}

void Order::divide(uintptr_t at) {
    const Memory& around = memoryAt(at);
    if (around.begin == at) return;
    Memory rest = around;
    rest.begin = at;
    memory_.insert(std::ranges::upper_bound(memory_, at, {}, &Memory::begin), rest);
}

void Order::unite() {
    const auto same = [](const Memory& a, const Memory& b) { return b.isAs(a); };
    memory_.erase(std::ranges::unique(memory_, same).begin(), memory_.end());
}

void Order::applyTo(Memory& memory, const Memory& then, const Times& until,
                    const Barrier& barrier) {
    forWrites([&](size_t write) {
        const bool makes = barrier.first.has(Use(write));
        Time available = makes ? until[size_t(stageOf(Use(write)))] : 0;
        forStages(barrier.first,
                  [&](size_t stage) { rise(available, then.available[write][stage]); });
        forStages(barrier.second,
                  [&](size_t stage) { rise(memory.available[write][stage], available); });
        for (size_t use = 0; use < kUseCount; ++use)
            if (barrier.second.has(Use(use))) rise(memory.visible[write][use], available);
    });
}

void Order::apply(const Order& then, Time now, std::span<const Barrier> barriers) {
    for (const Barrier& barrier : barriers) {
        const Times until = then.until(now, barrier.first);
        for (size_t stage = 0; stage < kStageCount; ++stage)
            forStages(barrier.second, [&](size_t s) { rise(happened_[stage][s], until[stage]); });
        divide(barrier.begin);
        if (barrier.end != std::numeric_limits<uintptr_t>::max()) divide(barrier.end);
        for (const Memory& each : then.memory_)
            if (each.begin > barrier.begin && each.begin < barrier.end) divide(each.begin);
        for (Memory& each : memory_)
            if (each.begin >= barrier.begin && each.begin < barrier.end)
                applyTo(each, then.memoryAt(each.begin), until, barrier);
    }
    unite();
}

void Order::complete(const Times& until) {
    for (size_t stage = 0; stage < kStageCount; ++stage)
        for (Time& time : happened_[stage]) rise(time, until[stage]);
    for (Memory& memory : memory_)
        forWrites([&](size_t write) {
            const Time time = until[size_t(stageOf(Use(write)))];
            for (Time& each : memory.available[write]) rise(each, time);
            for (Time& each : memory.visible[write]) rise(each, time);
        });
    unite();
}

Time Order::visibleAnywhere(Use to, const std::array<Time, kUseCount>& last) const {
    Time least = std::numeric_limits<Time>::max();
    for (const Memory& memory : memory_)
        forWrites([&](size_t write) {
            const Time time = memory.visible[write][size_t(to)];
            if (time < last[write]) least = std::min(least, time);
        });
    return least;
}

}  // namespace coopvk::reference::icd
