// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of which buffers are kept. Ranges that share memory become parts of one region.
#pragma once

#include <map>
#include <vector>

#include "inputs/objects.hpp"
#include "report/recorded_dispatch.hpp"

namespace coopvk::layer::inputs {

// A copy of bytes of a buffer, to a place in the file.
struct Copy {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t from = 0, size = 0, to = 0;
};

class Ranges {
 public:
    explicit Ranges(uint64_t limit) : limit_(limit) {}

    // False if all regions together would exceed the limit.
    bool add(const TrackedBuffer& buffer, uint64_t offset, uint64_t size);
    // After the last range: places the regions one after the other.
    void place();

    // Of a range that was added.
    KeptRange find(const TrackedBuffer& buffer, uint64_t offset, uint64_t size) const;
    const std::vector<KeptRegion>& regions() const { return regions_; }
    std::vector<Copy> copies() const;
    uint64_t size() const { return size_; }  // of all regions, with gaps

 private:
    // A space of addresses: a memory object, or a buffer without one.
    struct Space {
        bool isMemory = false;
        uint64_t handle = 0;
        auto operator<=>(const Space&) const = default;
    };
    struct Place {
        Space space;
        uint64_t begin = 0;
    };
    struct Source {
        VkBuffer buffer;
        uint64_t offset, size;
        Place place;
    };
    struct Interval {
        uint64_t end = 0;
        uint32_t region = 0;
    };

    static Place placeOf(const TrackedBuffer& buffer, uint64_t offset);

    uint64_t limit_, total_ = 0, size_ = 0;
    std::map<Space, std::map<uint64_t, Interval>> spaces_;  // intervals by their beginnings
    std::vector<Source> sources_;
    std::vector<KeptRegion> regions_;
};

}  // namespace coopvk::layer::inputs
