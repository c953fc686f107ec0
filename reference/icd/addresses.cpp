// SPDX-License-Identifier: Apache-2.0
//
// Ranges of memory, and what is at device addresses.
#include <cstring>

#include "device.hpp"

namespace coopvk::reference::icd {
namespace {

bool isBefore(uint64_t address, const Range& range) { return address < range.address; }

void insert(std::vector<Range>& ranges, const Range& range) {
    ranges.insert(std::upper_bound(ranges.begin(), ranges.end(), range.address, isBefore), range);
}

// The last to begin of those that contain the address.
const Range* containing(const std::vector<Range>& ranges, uint64_t address) {
    auto range = std::upper_bound(ranges.begin(), ranges.end(), address, isBefore);
    while (range != ranges.begin()) {
        --range;
        if (address - range->address < range->size) return &*range;
    }
    return nullptr;
}

}  // namespace

Range part(const Range& range, uint64_t offset, uint64_t size) {
    if (range.data == nullptr || offset > range.size) return {};
    Range result = range;
    result.data += offset;
    if (range.address != 0) result.address += offset;
    result.size = std::min(size, range.size - offset);
    if (result.written != nullptr) result.written += offset;
    return result;
}

void markWritten(const Range& range) {
    if (range.written != nullptr) std::memset(range.written, kWritten, range.size);
}

const Range* Addresses::buffer(uint64_t address) const { return containing(buffers_, address); }

bool Addresses::share(const Range& memory) const {
    return std::ranges::any_of(memories_, [&](const Range& other) {
        return other.data < memory.data + memory.size && memory.data < other.data + other.size;
    });
}

bool Addresses::live(const Range& range) const {
    return containing(memories_, range.address) != nullptr;
}

bool Addresses::allocate(Range& memory, std::shared_ptr<const void> keeper) {
    constexpr uint64_t kGap = uint64_t{1} << 20;
    uint64_t left = kHeapSize;
    for (const Range& other : memories_) left -= other.size;
    if (memory.size > left) return false;
    memory.address = next_;
    keepers_.emplace(next_, std::move(keeper));
    next_ += (memory.size + 2 * kGap - 1) / kGap * kGap;
    insert(memories_, memory);
    return true;
}

void Addresses::free(const Range& memory) {
    std::erase_if(memories_, [&](const Range& other) { return other.address == memory.address; });
    std::erase_if(buffers_, [&](const Range& buffer) {
        return buffer.address - memory.address < memory.size;
    });
    keepers_.erase(memory.address);
}

void Addresses::bind(const Range& buffer) { insert(buffers_, buffer); }

void Addresses::unbind(const Range& buffer) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const Range& other) {
        return other.address == buffer.address && other.size == buffer.size;
    });
    if (found != buffers_.end()) buffers_.erase(found);
}

}  // namespace coopvk::reference::icd
