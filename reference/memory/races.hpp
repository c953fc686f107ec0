// SPDX-License-Identifier: Apache-2.0
//
// Data races: two accesses to a byte by different invocations, at least one of them a write and not
// both atomic, that nothing orders (Vulkan, appendix "Memory Model", "Data Race"). What orders
// them: barriers with semantics for the memory, and releases and acquires by atomics and memory
// barriers. A read that is in a race with a write gets the bytes before it, if the schedule is
// adversarial.
//
// A workgroup has a clock that each such event advances, and an access has the clock's time. An
// invocation knows until when the accesses of others happened before: by workgroup barriers (the
// same for all), by subgroup barriers, and by what it acquired.
#pragma once

#include <vector>

#include "memory/history.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

// Of the workgroup that a thread executes.
class Races {
 public:
    Races(const Workgroup& group, BufferHistory& history);
    void begin(const Workgroup& group);
    // The invocations arrive at a split barrier, for which they will wait.
    void arrive(uint32_t semantics) { arrived_ = semantics; }
    // All subgroups are at this instruction.
    void meet(const Workgroup& group, const Instruction& instruction);
    // All active lanes of a subgroup are at a barrier.
    void meetLanes(const Subgroup& subgroup, const Instruction& instruction);
    // OpMemoryBarrier.
    void fence(const Subgroup& subgroup, uint32_t semantics);
    // An atomic operation, before it takes place.
    void synchronise(const Subgroup& subgroup, uint32_t lane, const Pointer& pointer,
                     const std::byte* data, uint32_t semantics);
    // An access to `size` bytes, before a write and after a read. `seen`: what the read got; null
    // for a write.
    void note(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
              const Pointer& pointer, const std::byte* data, uint64_t size, std::byte* seen,
              const Access& access);

 private:
    enum Kind { kShared, kBuffer, kKinds };
    struct Note;  // an access to the bytes of one cell
    void advance(Order& order, uint32_t semantics, bool visible) const;
    bool covers(uint8_t scope, const Stamp& a, const Stamp& b) const;
    bool happenedBefore(const Note& note, const Stamp& other) const;
    const Stamp* conflict(const Note& note) const;
    void remember(const Note& note) const;
    void noteCell(const Note& note) const;
    void reportRace(const Note& note, const Stamp& other) const;

    BufferHistory& history_;
    uint32_t lanes_;
    uint32_t group_ = 0;  // number in the dispatch
    uint32_t clock_ = 1;
    uint32_t arrived_ = 0;
    bool vulkan_;  // the Vulkan memory model: accesses are private unless they say otherwise
    bool stale_;   // reads get stale bytes where they may
    Order all_[kKinds];
    std::vector<Order> subgroups_[kKinds];
    std::vector<Order> fences_;    // of each invocation, its last memory barrier that releases
    std::vector<Order> released_;  // the same, when all met
    std::vector<Order> sent_;      // of each invocation, its last atomic operation that releases
    Knowledge common_;             // of all invocations
    std::vector<Knowledge> acquired_;  // of each invocation
    std::vector<Knowledge> pending_;   // by relaxed atomics, until a memory barrier
    std::unordered_map<uint64_t, Knowledge> sharedReleases_;
    std::vector<Cell> shared_;
    uint64_t pageNumber_ = ~uint64_t{0};
    BufferHistory::Page* page_ = nullptr;
};

}  // namespace coopvk::reference
