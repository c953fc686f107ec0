// SPDX-License-Identifier: Apache-2.0
#include "inputs/ranges.hpp"

#include <algorithm>

namespace coopvk::layer::inputs {
namespace {

constexpr uint64_t kAlignment = 256;  // of regions in the file: no less than of any type

}  // namespace

Ranges::Place Ranges::placeOf(const TrackedBuffer& buffer, uint64_t offset) {
    if (buffer.memory == 0) return {{false, reinterpret_cast<uint64_t>(buffer.handle)}, offset};
    return {{true, buffer.memory}, buffer.memoryOffset + offset};
}

bool Ranges::add(const TrackedBuffer& buffer, uint64_t offset, uint64_t size) {
    const Place place = placeOf(buffer, offset);
    auto& intervals = spaces_[place.space];
    uint64_t begin = place.begin, end = place.begin + size;
    // Those that this one joins.
    auto first = intervals.upper_bound(begin);
    if (first != intervals.begin() && std::prev(first)->second.end >= begin) --first;
    uint64_t joined = 0;
    auto last = first;
    for (; last != intervals.end() && last->first <= end; ++last) {
        joined += last->second.end - last->first;
        begin = std::min(begin, last->first);
    }
    if (last != first) end = std::max(end, std::prev(last)->second.end);
    const uint64_t more = end - begin - joined;
    if (more > limit_ - total_) return false;
    sources_.push_back({buffer.handle, offset, size, place});
    total_ += more;
    intervals.erase(first, last);
    intervals[begin] = {end};
    return true;
}

void Ranges::place() {
    for (auto& [space, intervals] : spaces_) {
        for (auto& [begin, interval] : intervals) {
            interval.region = static_cast<uint32_t>(regions_.size());
            regions_.push_back({interval.end - begin, size_, {}});
            size_ += (interval.end - begin + kAlignment - 1) / kAlignment * kAlignment;
        }
    }
}

KeptRange Ranges::find(const TrackedBuffer& buffer, uint64_t offset, uint64_t size) const {
    const Place place = placeOf(buffer, offset);
    const auto& intervals = spaces_.at(place.space);
    const auto found = std::prev(intervals.upper_bound(place.begin));
    return {found->second.region, place.begin - found->first, size};
}

// No two copies write the same byte.
std::vector<Copy> Ranges::copies() const {
    std::vector<Source> sorted = sources_;
    std::ranges::sort(sorted, [](const Source& a, const Source& b) {
        return std::tie(a.place.space, a.place.begin) < std::tie(b.place.space, b.place.begin);
    });
    std::vector<Copy> copies;
    std::map<Space, uint64_t> ends;  // of the bytes that are copied
    for (const Source& source : sorted) {
        const Space space = source.place.space;
        uint64_t& done = ends[space];
        const uint64_t end = source.place.begin + source.size;
        const uint64_t from = std::max(source.place.begin, done);
        if (from >= end) continue;
        const auto interval = std::prev(spaces_.at(space).upper_bound(from));
        copies.push_back({source.buffer, source.offset + (from - source.place.begin), end - from,
                          regions_[interval->second.region].before + (from - interval->first)});
        done = end;
    }
    return copies;
}

}  // namespace coopvk::layer::inputs
