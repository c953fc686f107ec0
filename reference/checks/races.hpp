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
//
// "The mapping of components to invocations and indexes is implementation-dependent"
// (SPV_KHR_cooperative_matrix), but all matrices of a type have the same. So loads and stores of
// matrices are by an invocation of their own for each type.
#pragma once

#include <map>
#include <mutex>

#include "checks/order.hpp"
#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

inline constexpr size_t kMemoryKinds = kPushConstants;  // of those that are written

// An access: by an invocation of a workgroup, when the workgroup's clock showed `time`.
struct Stamp {
    uint32_t group = 0;                     // number of the workgroup in the dispatch
    uint32_t time = 0;                      // 0: no access
    uint16_t invocation = 0;                // in the workgroup
    uint8_t bytes = 0;                      // mask of the cell's bytes
    Reach atomic : 4 = Reach::kInvocation;  // scope of an atomic operation
    Reach makes : 4 = Reach::kInvocation;   // where a write makes itself available, a read visible
    bool writes = false;
    bool shared = false;  // NonPrivate, or any access without the Vulkan memory model
    uint8_t object = 0;   // Slot::object
    uint8_t matrix = 0;   // Access::matrix
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

// What one who reads an atomic's value may acquire: a release, by the atomic operation or a barrier
// before it. The scope is that of the release.
struct Part {
    MemoryKind kind = kShared;
    Reach reach = Reach::kInvocation;
    std::shared_ptr<const Release> release;
};
// "The release sequence headed by" an atomic write, which later writes have not ended.
struct Head {
    Place from;
    Reach reach = Reach::kInvocation;  // of the atomic write
    std::vector<Part> parts;
};
using Heads = std::vector<Head>;

// Accesses that may be in a race with one to come, by their cell.
using Accesses = std::unordered_map<const Cell*, std::vector<Stamp>>;

// Buffers, accessed by all workgroups of an execution.
class BufferHistory {
 public:
    struct Page {
        std::mutex mutex;
        std::array<Cell, 256> cells;
        std::unordered_map<uint64_t, Heads> heads;  // by address
        Accesses accesses;                          // see Races
    };
    static constexpr uint64_t kPageSize = 256 * kCellSize;

    explicit BufferHistory(bool hasThreads) : hasThreads_(hasThreads) {}
    // Of the memory at the addresses of the host from number * kPageSize on. It stays where it is.
    Page& page(uint64_t number) {
        const auto held = lock(mutex_);
        auto& page = pages_[number];
        if (!page) page = std::make_unique<Page>();
        return *page;
    }
    // None where one thread executes all workgroups.
    std::unique_lock<std::mutex> lock(std::mutex& mutex) const {
        return hasThreads_ ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
    }

 private:
    const bool hasThreads_;
    std::mutex mutex_;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

// Of the workgroup that a thread executes.
class Races final : public Observer {
 public:
    // `isStale`: reads in a race see the bytes before. `isForAll`: what is in no race here is so in
    // each order, if no data decide what invocations access. So all accesses count, not the last
    // ones only, and nothing that an atomic operation reads orders any: in another order it reads
    // something else.
    Races(BufferHistory& history, bool isStale, bool isForAll)
        : history_(history), stale_(isStale), isForAll_(isForAll) {}
    uint32_t events() const override {
        return kEventLoad | kEventStore | kEventAtomic | kEventBarrier;
    }
    void begin(const Group& group) override;
    void load(const Moment& at, const MemoryAccess& access, std::byte* seen) override {
        note(at, access, seen);
    }
    void store(const Moment& at, const MemoryAccess& access) override { note(at, access, nullptr); }
    void atomic(const Moment& at, const MemoryAccess& access,
                const AtomicOperation& operation) override;
    void barrier(const Moment& at, const Barrier& barrier) override;

 private:
    struct Note;  // an access to the bytes of one cell
    template <typename T>
    using OfKinds = std::array<T, kMemoryKinds>;
    using Times = std::array<uint32_t, 4>;  // by Reach
    // A barrier that releases.
    struct Fence {
        Semantics semantics;
        OfKinds<std::shared_ptr<const Release>> released;
        OfKinds<bool> met = {};  // all of the workgroup acquired it
    };
    using Fences = std::vector<Fence>;
    // Of an invocation that executed memory barriers or atomic operations.
    struct State {
        OfKinds<Knowledge> known;       // beyond what all of its subgroup and its workgroup know
        OfKinds<Times> available = {};  // its own writes
        Fences fences;
        Fences arrived;  // those before it arrived at a split barrier
        // What relaxed atomic operations read, until a barrier acquires it: by the kind of memory
        // of the atomic, the distance of the writer, and the kind of memory that is meant.
        std::map<std::tuple<MemoryKind, Reach, MemoryKind>, Knowledge> pending;
    };
    // What all of a subgroup or of the workgroup have in common, by barriers.
    struct Common {
        OfKinds<std::shared_ptr<Knowledge>> known = {std::make_shared<Knowledge>(),
                                                     std::make_shared<Knowledge>()};
        OfKinds<Times> available = {};  // the own writes of each
        Fences fences;
        OfKinds<Knowledge> met;  // what was released at barriers that did not acquire it

        // To be changed: releases keep it as it was.
        Knowledge& own(MemoryKind kind) {
            auto& current = known[kind];
            if (current.use_count() > 1) current = std::make_shared<Knowledge>(*current);
            return *current;
        }
    };

    static constexpr MemoryKind kEachKind[] = {kShared, kBuffer};
    Place placeOf(uint32_t invocation) const { return {group_, invocation / lanes_, invocation}; }
    Place placeOf(const Moment& at, uint32_t lane) const {
        const uint32_t subgroup = at.subgroup();
        return {group_, subgroup, subgroup * lanes_ + lane};
    }
    State& state(const Place& at) {
        auto& state = states_[at.invocation];
        if (!state) state = std::make_unique<State>();
        return *state;
    }

    // synchronization.cpp
    struct Meeting;
    void arrive(const Moment& at, const Semantics& semantics);
    void meet(const Moment& at, const Semantics& semantics);
    void meetLanes(const Moment& at, const Semantics& semantics);
    void fence(const Moment& at, const Semantics& semantics);
    void synchronise(Meeting& meeting);
    template <typename F>
    void forStates(const Meeting& meeting, F&& f);
    void releaseAll(Meeting& meeting, MemoryKind kind);
    void unite(Meeting& meeting, MemoryKind kind, const State& state, const Place& at) const;
    void acquireAll(Meeting& meeting, MemoryKind kind);
    void forgetMet(const Meeting& meeting, MemoryKind kind);
    void keepFence(const Meeting& meeting, MemoryKind kind, const Semantics& semantics,
                   uint32_t time);
    bool isGlsl(const Meeting& meeting) const;
    void passAll(Meeting& meeting);
    void passOn(const Meeting& meeting);
    std::shared_ptr<const Release> snapshot(MemoryKind kind, const Place& at, const State& state);
    Knowledge& learnCommon(MemoryKind kind, const Place& at, Knowledge& known) const;
    void makeAvailable(MemoryKind kind, const Place& at, State& state, Reach reach);
    void makeVisible(MemoryKind kind, const Place& at, State& state, Reach reach);
    void acquirePending(const Place& at, State& state, const Semantics& semantics);
    void release(const Place& at, State& state, const Semantics& semantics);
    Heads& headsAt(const MemoryAccess& access);
    void acquireHeads(const Heads& heads, const Place& at, MemoryKind kind,
                      const Semantics& semantics);
    void extendHeads(Heads& heads, const Place& at, MemoryKind kind,
                     const AtomicOperation& operation);
    std::vector<Part> partsOf(const Place& at, MemoryKind kind, const Semantics& semantics);

    // races.cpp
    BufferHistory::Page& pageAt(uint64_t address);
    Note noteOf(const Moment& at, const MemoryAccess& access, const std::byte* data) const;
    void note(const Moment& at, const MemoryAccess& access, std::byte* seen);
    template <typename F>
    void forCells(const MemoryAccess& access, Note& note, F&& f);
    Reach apart(const Stamp& a, const Stamp& b) const {
        const Reach reach = distance({a.group, a.invocation / lanes_, a.invocation},
                                     {b.group, b.invocation / lanes_, b.invocation});
        return a.matrix == b.matrix ? reach : std::max(reach, Reach::kSubgroup);
    }
    bool isSame(const Stamp& a, const Stamp& b) const {
        return a.group == b.group && a.invocation == b.invocation && a.matrix == b.matrix;
    }
    bool happenedBefore(const Note& note, const Stamp& other) const;
    bool isRace(const Note& note, const Stamp& other) const;
    const Stamp* conflict(const Note& note) const;
    void remember(const Note& note) const;
    std::vector<Stamp>& accessesTo(const Note& note);
    const Stamp* conflictInAnyOrder(const Note& note);
    void noteCell(const Note& note);
    void checkRestrict(const Note& note) const;
    void reportRace(const Note& note, const Stamp& other) const;

    BufferHistory& history_;
    uint32_t lanes_ = 0;
    bool vulkan_ =
        false;  // the Vulkan memory model: accesses are private unless they say otherwise
    const bool stale_, isForAll_;
    uint32_t group_ = 0;  // number in the dispatch
    uint32_t clock_ = 1;
    Common common_;
    std::vector<Common> subgroups_;
    std::vector<std::unique_ptr<State>> states_;  // null: of most invocations
    std::unordered_map<uint64_t, Heads> sharedHeads_;
    std::vector<Cell> shared_;
    Accesses sharedAccesses_;
    // Of the buffers that programs access in turn; each at its number modulo their count.
    struct KnownPage {
        uint64_t number = ~uint64_t{0};
        BufferHistory::Page* page = nullptr;
    };
    std::array<KnownPage, 16> pages_;
};

}  // namespace coopvk::reference
