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

#include <mutex>

#include "memory/pointer.hpp"

namespace coopvk::reference {

// Memory semantics of barriers and atomics, as masks.
constexpr uint32_t bit(spv::MemorySemanticsMask mask) { return uint32_t(mask); }
inline constexpr uint32_t kOrders = bit(spv::MemorySemanticsMask::AcquireRelease) |
                                    bit(spv::MemorySemanticsMask::SequentiallyConsistent);
inline constexpr uint32_t kReleases = kOrders | bit(spv::MemorySemanticsMask::Release);
inline constexpr uint32_t kAcquires = kOrders | bit(spv::MemorySemanticsMask::Acquire);
inline constexpr uint32_t kMakesAvailable = bit(spv::MemorySemanticsMask::MakeAvailable);
inline constexpr uint32_t kMakesVisible = bit(spv::MemorySemanticsMask::MakeVisible);
// Semantics for each kind of memory.
inline constexpr uint32_t kMemory[] = {bit(spv::MemorySemanticsMask::WorkgroupMemory),
                                       bit(spv::MemorySemanticsMask::UniformMemory)};

// Of an arrival, which releases, and a wait, which acquires: they order the memory that both name.
constexpr uint32_t together(uint32_t arrival, uint32_t wait) {
    if ((arrival & kReleases) == 0 || (wait & kAcquires) == 0) return 0;
    constexpr uint32_t kOfBoth = kMemory[0] | kMemory[1];
    return bit(spv::MemorySemanticsMask::AcquireRelease) | (arrival & wait & kOfBoth) |
           (arrival & kMakesAvailable) | (wait & kMakesVisible);
}

inline constexpr uint8_t kNoScope = 4;  // spv::Scope::Invocation

// An access: by an invocation of a workgroup, when the workgroup's clock showed `time`.
struct Stamp {
    uint32_t group = 0;         // number of the workgroup in the dispatch
    uint32_t time = 0;          // 0: no access
    uint16_t invocation = 0;    // in the workgroup
    uint8_t bytes = 0;          // mask of the cell's bytes
    uint8_t atomic = kNoScope;  // scope of an atomic operation
    uint8_t makes = kNoScope;   // where a write makes itself available, and a read visible
    bool writes = false;
    bool shared = false;  // NonPrivate, or any access without the Vulkan memory model
    uint32_t word = 0;    // the instruction
};

// The last accesses to four bytes. What most accesses need is in the first cache line.
struct alignas(64) Cell {
    std::array<Stamp, 2> reads;
    std::array<std::byte, 4> before = {};  // what the last writes replaced
    uint32_t count = 0;                    // of the writes
    std::array<Stamp, 4> writes;           // the last one of each byte: no two have the same bytes
};
inline constexpr uint64_t kCellSize = sizeof(Cell::before);

// Accesses with an earlier time happened before. For writes that a read follows there are four
// times: [whether the write made itself available][whether the read makes it visible to itself].
struct Order {
    std::array<std::array<uint32_t, 2>, 2> times = {};

    uint32_t happened() const { return times[1][1]; }
    // All before `time` happened before, and is made available or visible.
    void advance(uint32_t time, bool available, bool visible) {
        times[1][1] = time;
        if (available) times[0][1] = time;
        if (visible) makeVisible();
    }
    // What was available elsewhere is available here.
    void learn(const Order& other) {
        for (const int available : {0, 1})
            times[available][1] = std::max(times[available][1], other.times[available][1]);
    }
    void makeVisible() {
        for (auto& time : times) time[0] = time[1];
    }
};

// What barriers had ordered when an invocation made it visible to itself, by memory barriers and
// atomic operations: [whether the write made itself available].
struct Seen {
    std::array<uint32_t, 2> workgroup = {}, subgroup = {};
};

// What is known of others. Key: workgroup << 32 | invocation.
class Knowledge : public std::unordered_map<uint64_t, Order> {
 public:
    static constexpr uint32_t kAll = ~uint32_t{0};  // all invocations of a workgroup
    Order& of(uint32_t group, uint32_t invocation) { return (*this)[key(group, invocation)]; }
    const Order* find(uint32_t group, uint32_t invocation) const {
        const auto found = unordered_map::find(key(group, invocation));
        return found != end() ? &found->second : nullptr;
    }
    void learn(const Knowledge& other) {
        for (const auto& [key, order] : other) (*this)[key].learn(order);
    }
    void makeVisible() {
        for (auto& [key, order] : *this) order.makeVisible();
    }

 private:
    static constexpr uint64_t key(uint32_t group, uint32_t invocation) {
        return uint64_t{group} << 32 | invocation;
    }
};

// Buffers, accessed by all workgroups of an execution.
class BufferHistory {
 public:
    struct Page {
        std::mutex mutex;
        std::array<Cell, 256> cells;
    };
    static constexpr uint64_t kPageSize = 256 * kCellSize;
    // Of the memory at this address of the host. It stays where it is.
    Page& page(uint64_t address) {
        const std::lock_guard lock(mutex_);
        auto& page = pages_[address / kPageSize];
        if (!page) page = std::make_unique<Page>();
        return *page;
    }
    // Adds to what is known at an atomic's address, and to `acquired` what was known there.
    void exchange(uint64_t address, const Knowledge& released, Knowledge& acquired) {
        const std::lock_guard lock(mutex_);
        const auto found = releases_.find(address);
        if (found != releases_.end()) acquired.learn(found->second);
        if (!released.empty()) releases_[address].learn(released);
    }

 private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    std::unordered_map<uint64_t, Knowledge> releases_;
};

// Of the workgroup that a thread executes.
class Races {
 public:
    Races(const Workgroup& group, BufferHistory& history);
    void begin(const Workgroup& group);
    // The invocations arrive at a split barrier, for which they will wait.
    void arrive(uint32_t semantics) { arrived_ = semantics; }
    // All subgroups are at the instruction of the first.
    void meet(const Subgroup& first);
    // All active lanes of a subgroup are at a barrier.
    void meetLanes(const Subgroup& s);
    // OpMemoryBarrier.
    void fence(const Subgroup& s, uint32_t semantics);
    // An atomic operation, before it takes place.
    void synchronise(const Memory& memory, uint32_t lane, uint32_t semantics);
    // An access to `size` bytes, before a write and after a read. `seen`: what the read got; null
    // for a write.
    void note(const Memory& memory, uint32_t lane, const std::byte* data, uint64_t size,
              std::byte* seen);

 private:
    enum Kind { kShared, kBuffer, kKinds };
    struct Note;  // an access to the bytes of one cell
    struct Invocation {
        Seen seen[kKinds];
        Order fence;         // its last memory barrier that releases
        Order released;      // the same, when all met
        Order sent;          // its last atomic operation that releases
        Knowledge acquired;  // of others
        Knowledge pending;   // by relaxed atomics, until a memory barrier
    };
    using Orders = std::array<Order, kKinds>;

    // Calls f(kind) for the kinds of memory that the semantics name.
    template <typename F>
    static void forKinds(uint32_t semantics, F f) {
        for (const Kind kind : {kShared, kBuffer})
            if ((semantics & kMemory[kind]) != 0) f(kind);
    }
    Invocation& invocation(const Subgroup& s, uint32_t lane) {
        return invocations_[s.index * lanes_ + lane];
    }
    void advance(Order& order, uint32_t semantics, bool visible) const;
    void makeVisible(uint32_t invocation, uint32_t semantics);
    bool covers(uint8_t scope, const Stamp& a, const Stamp& b) const;
    bool isSame(const Stamp& a, const Stamp& b) const {
        return a.group == b.group && a.invocation == b.invocation;
    }
    bool happenedBefore(const Note& note, const Stamp& other) const;
    const Stamp* conflict(const Note& note) const;
    void remember(const Note& note) const;
    void noteCell(const Note& note) const;
    void reportRace(const Note& note, const Stamp& other) const;

    BufferHistory& history_;
    uint32_t lanes_;
    bool vulkan_;         // the Vulkan memory model: accesses are private unless they say otherwise
    bool stale_;          // reads get stale bytes where they may
    uint32_t group_ = 0;  // number in the dispatch
    uint32_t clock_ = 1;
    uint32_t arrived_ = 0;
    Orders all_;
    std::vector<Orders> subgroups_;
    std::vector<Invocation> invocations_;
    Knowledge common_;  // of all invocations
    std::unordered_map<uint64_t, Knowledge> sharedReleases_;
    std::vector<Cell> shared_;
    uint64_t pageNumber_ = ~uint64_t{0};
    BufferHistory::Page* page_ = nullptr;
};

}  // namespace coopvk::reference
