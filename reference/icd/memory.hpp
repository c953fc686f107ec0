// SPDX-License-Identifier: Apache-2.0
//
// Memory, buffers, and the addresses that shaders see.
#pragma once

#include <cstdlib>
#include <mutex>

#include "coopvk_reference/execute.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

struct Free {
    void operator()(void* block) const { std::free(block); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], Free>;  // of calloc: pages cost nothing until they are used

struct Memory : ObjectOf<VkDeviceMemory> {
    Zeroed<std::byte> block;
    Zeroed<uint8_t> written;  // a byte for each; null if nobody checks
    Range range;              // all of it
};

struct Buffer : ObjectOf<VkBuffer> {
    Buffer(Device& on, const VkBufferCreateInfo& info) : device(on), size(info.size) {}
    ~Buffer();
    Device& device;
    VkDeviceSize size;
    Range range;  // empty until it is bound
};

// Part of a range; empty where it is not within.
Range part(const Range& range, uint64_t offset, uint64_t size);
// Notes that something wrote the whole range.
void markWritten(const Range& range);

// What is at device addresses, in their order.
struct Addresses {
    std::vector<Range> memories, buffers;
    // Of buffers that overlap, the last to begin that contains the address; or null.
    const Range* buffer(uint64_t address) const;
    // Whether the memory of a range was not freed.
    bool live(const Range& range) const;
};

// Each allocation gets its own addresses, the same in every run of a program, with a gap behind
// them; none is used twice.
class AddressSpace {
 public:
    // False: the heap is full.
    bool allocate(Range& memory);
    // With the buffers in it.
    void free(const Range& memory);
    void bind(const Range& buffer);
    void unbind(const Range& buffer);
    Addresses now() const;

 private:
    mutable std::mutex mutex_;
    uint64_t next_ = uint64_t{1} << 36;
    Addresses addresses_;
};

}  // namespace coopvk::reference::icd
