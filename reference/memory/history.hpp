// SPDX-License-Identifier: Apache-2.0
//
// Who accessed which memory last, what orders accesses by semantics of barriers and atomics, and
// what releases at a place in memory gave to know.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>

namespace coopvk::reference {

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

}  // namespace coopvk::reference
