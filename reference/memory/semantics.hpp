// SPDX-License-Identifier: Apache-2.0
//
// Memory semantics of barriers and atomics, as masks.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>

namespace coopvk::reference {

constexpr uint32_t bit(spv::MemorySemanticsMask mask) { return static_cast<uint32_t>(mask); }
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

}  // namespace coopvk::reference
