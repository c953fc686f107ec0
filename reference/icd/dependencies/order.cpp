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

// f(queue, stage), or f(queue, use) of writes.
template <typename F>
void forEach(F&& f) {
    for (size_t queue = 0; queue < kQueueCount; ++queue)
        for (size_t stage = 0; stage < kStageCount; ++stage) f(queue, stage);
}
template <typename F>
void forWrites(F&& f) {
    for (size_t queue = 0; queue < kQueueCount; ++queue)
        for (size_t i = 0; i < kUseCount; ++i)
            if (isWrite(Use(i))) f(queue, i);
}

}  // namespace

// A chain: what happened before a stage of the scope is in it, too.
QueueTimes Order::until(Time now, const Scope& first) const {
    QueueTimes until = {};
    forEach([&](size_t queue, size_t stage) {
        forStages(first, [&](size_t s) {
            const bool isOwn = queue == queue_ && s == stage;
            rise(until[queue][stage], isOwn ? now : happened_[queue][stage][s]);
        });
    });
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

// `made`: until when the first scope contains what each stage of `from` did, the queue of the
// signal or the barrier. Writes of others are available if something made them so there.
void Order::applyTo(Memory& memory, const Memory& then, size_t from, const Barrier& barrier,
                    const Times& made) {
    forWrites([&](size_t queue, size_t write) {
        const bool makes = queue == from && barrier.first.has(Use(write));
        Time available = makes ? made[size_t(stageOf(Use(write)))] : 0;
        forStages(barrier.first,
                  [&](size_t stage) { rise(available, then.available[queue][write][stage]); });
        forStages(barrier.second,
                  [&](size_t stage) { rise(memory.available[queue][write][stage], available); });
        for (size_t use = 0; use < kUseCount; ++use)
            if (barrier.second.has(Use(use))) rise(memory.visible[queue][write][use], available);
    });
}

void Order::apply(const Order& then, Time now, std::span<const Barrier> barriers) {
    for (const Barrier& barrier : barriers) {
        const QueueTimes until = then.until(now, barrier.first);
        forEach([&](size_t queue, size_t stage) {
            forStages(barrier.second,
                      [&](size_t s) { rise(happened_[queue][stage][s], until[queue][stage]); });
        });
        divide(barrier.begin);
        if (barrier.end != std::numeric_limits<uintptr_t>::max()) divide(barrier.end);
        for (const Memory& each : then.memory_)
            if (each.begin > barrier.begin && each.begin < barrier.end) divide(each.begin);
        for (Memory& each : memory_)
            if (each.begin >= barrier.begin && each.begin < barrier.end)
                applyTo(each, then.memoryAt(each.begin), then.queue_, barrier, until[then.queue_]);
    }
    unite();
}

void Order::complete(const QueueTimes& until) {
    forEach([&](size_t queue, size_t stage) {
        for (Time& time : happened_[queue][stage]) rise(time, until[queue][stage]);
    });
    for (Memory& memory : memory_)
        forWrites([&](size_t queue, size_t write) {
            const Time time = until[queue][size_t(stageOf(Use(write)))];
            for (Time& each : memory.available[queue][write]) rise(each, time);
            for (Time& each : memory.visible[queue][write]) rise(each, time);
        });
    unite();
}

Time Order::visibleAnywhere(Use to, const std::array<UseTimes, kQueueCount>& last) const {
    Time least = std::numeric_limits<Time>::max();
    for (const Memory& memory : memory_)
        forWrites([&](size_t queue, size_t write) {
            const Time time = memory.visible[queue][write][size_t(to)];
            if (time < last[queue][write]) least = std::min(least, time);
        });
    return least;
}

}  // namespace coopvk::reference::icd
