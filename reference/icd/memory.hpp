// SPDX-License-Identifier: Apache-2.0
//
// Memory, buffers, and the addresses that shaders see.
#pragma once

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

inline constexpr VkDeviceSize kHeapSize = VkDeviceSize{16} << 30;

inline constexpr VkMemoryPropertyFlags kCoherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
inline constexpr VkMemoryPropertyFlags kMemoryTypes[] = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    kCoherent,
    kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

struct Free {
    void operator()(void* block) const { std::free(block); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], Free>;  // of calloc: pages cost nothing until they are used

struct Memory : Object {
    using Handle = VkDeviceMemory;
    Zeroed<std::byte> block;
    Zeroed<uint8_t> written;  // a byte for each; null if nobody checks
    Range range;              // all of it
};

struct Buffer : Object {
    using Handle = VkBuffer;
    VkDeviceSize size = 0;
    Range range;  // empty until it is bound
};

// Part of a range; empty where it is not within.
Range part(const Range& range, uint64_t offset, uint64_t size);
// Notes that something wrote the whole range.
void markWritten(const Range& range);

// Device addresses. Each allocation gets its own, the same in every run of a program, with a gap
// behind it; none is used twice.
class AddressSpace {
 public:
    uint64_t reserve(uint64_t size);
    void add(const Range& buffer);
    void remove(const Range& buffer);
    // All buffers in memory that is freed.
    void removeWithin(const Range& memory);
    // The buffers, by address.
    std::shared_ptr<const std::vector<Range>> buffers() const;

 private:
    mutable std::mutex mutex_;
    uint64_t next_ = uint64_t{1} << 36;
    std::shared_ptr<const std::vector<Range>> buffers_ = std::make_shared<std::vector<Range>>();
};

}  // namespace coopvk::reference::icd
