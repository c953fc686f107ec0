// SPDX-License-Identifier: Apache-2.0
//
// Who accessed which memory last, and what releases at a place in memory gave to know.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace coopvk::reference {

// An access: by an invocation of a workgroup, when the workgroup's clock showed `time`.
struct Stamp {
    uint32_t group = 0;       // number of the workgroup in the dispatch
    uint32_t invocation = 0;  // in the workgroup
    uint32_t time = 0;        // 0: no access
    uint32_t word = 0;        // the instruction
    uint8_t bytes = 0;        // mask of the cell's bytes
    bool atomic = false;
    bool shared = false;     // NonPrivate, or any access without the Vulkan memory model
    bool available = false;  // a write with MakePointerAvailable
};

// The last accesses to four bytes.
struct Cell {
    Stamp write;
    std::array<Stamp, 2> reads;
};
inline constexpr uint64_t kCellSize = 4;

// Until which time the accesses of others happened before. Key: workgroup << 32 | invocation.
using Knowledge = std::unordered_map<uint64_t, uint32_t>;
inline constexpr uint32_t kAllInvocations = ~uint32_t{0};
constexpr uint64_t knowledgeKey(uint32_t group, uint32_t invocation) {
    return uint64_t{group} << 32 | invocation;
}
void learn(Knowledge& knowledge, const Knowledge& more);

// Buffers, accessed by all workgroups of an execution.
class BufferHistory {
 public:
    struct Page {
        std::mutex mutex;
        std::array<Cell, 256> cells;
    };
    static constexpr uint64_t kPageSize = 256 * kCellSize;
    // Of the memory at this address of the host. It stays where it is.
    Page& page(uint64_t address);
    // Adds to what is known at an atomic's address, and to `knowledge` what was known there.
    void exchange(uint64_t address, const Knowledge& released, Knowledge& acquired);

 private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    std::unordered_map<uint64_t, Knowledge> releases_;
};

}  // namespace coopvk::reference
