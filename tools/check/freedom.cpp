// SPDX-License-Identifier: Apache-2.0
#include "freedom.hpp"

#include <algorithm>
#include <cmath>

namespace coopvk::check {
namespace {

using reference::Choice;

constexpr double kFactor = 4;

const Accesses& writersOf(const Execution& native, size_t buffer) {
    static const Accesses none;
    return buffer < native.accessed.size() ? native.accessed[buffer].writers : none;
}

// Calls `differs` for each number of the buffer that is not the same in both.
template <typename Differs>
void eachDifference(const Module& module, const Memory& memory, size_t buffer,
                    const Execution& native, const Execution& other, const Differs& differs) {
    const std::vector<std::byte>&a = native.contents[buffer], &b = other.contents[buffer];
    if (a == b) return;
    visitNumbers(module, memory.interface, memory.buffers[buffer], writersOf(native, buffer),
                 [&](uint64_t offset, const Format& format) {
                     const uint64_t first = readBits(a.data() + offset, format);
                     const uint64_t second = readBits(b.data() + offset, format);
                     if (first != second) differs(offset, format, first, second);
                 });
}

bool isOpenAt(const BufferFreedom& of, uint64_t offset) {
    return offset < of.isOpen.size() && of.isOpen[offset];
}

double distance(const Format& format, uint64_t a, uint64_t b) {
    const double first = valueOf(format, a), second = valueOf(format, b);
    if (std::isnan(first) && std::isnan(second)) return 0;
    if (first == second) return 0;
    const double between = std::abs(first - second);
    return std::isnan(between) ? HUGE_VAL : between;
}

bool isRaceWithItself(const reference::Report& report) {
    return report.check == reference::kCheckRaces && report.word == report.otherWord &&
           !report.line.empty();
}

}  // namespace

bool Freedom::allows(const reference::Report& report) const {
    if ((checks & report.check) != 0) return true;
    return report.check == reference::kCheckRaces && repeated.contains(report.line);
}

Freedom findFreedom(const Module& module, const Memory& memory, const Side& native,
                    std::array<uint32_t, 3> groups, const reference::Settings& settings,
                    const Execution& exact) {
    Freedom freedom{.buffers = std::vector<BufferFreedom>(memory.buffers.size())};
    const auto variant = [&](Choice sums, Choice placement, const auto& note) {
        reference::Settings other = settings;
        other.sums = sums;
        other.placement = placement;
        if (placement <= Choice::kExact) other.schedule = placement;
        if (placement != Choice::kPlain) other.calls = reference::Calls::kRepeated;
        const Execution result = execute(native, memory, groups, other);
        for (const reference::Report& report : result.reports) {
            if (isRaceWithItself(report))
                freedom.repeated.insert(report.line);
            else
                freedom.checks |= report.check;
        }
        for (size_t b = 0; b < memory.buffers.size(); ++b) {
            eachDifference(module, memory, b, exact, result,
                           [&](uint64_t offset, const Format& format, uint64_t x, uint64_t y) {
                               note(freedom.buffers[b], offset, distance(format, x, y));
                           });
        }
    };
    const auto spreads = [](BufferFreedom& of, uint64_t, double between) {
        of.spread = std::max(of.spread, between);
    };
    for (const Choice sums : {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial})
        variant(sums, settings.placement, spreads);
    // With the map of a GPU, another placement only tells whether the module itself races.
    const bool isMapped = settings.placement != Choice::kPlain;
    for (const Choice placement : {Choice::kShuffled, Choice::kAdversarial}) {
        variant(Choice::kExact, placement, [&](BufferFreedom& of, uint64_t offset, double) {
            if (isMapped) return;
            if (of.isOpen.size() <= offset) of.isOpen.resize(offset + 1);
            of.isOpen[offset] = true;
        });
    }
    return freedom;
}

Comparison compare(const Module& module, const Memory& memory, const Execution& native,
                   const Execution& rewritten, const Freedom& freedom) {
    Comparison comparison;
    for (size_t b = 0; b < memory.buffers.size(); ++b) {
        const BufferFreedom& allowed = freedom.buffers[b];
        Difference difference{.buffer = memory.buffers[b].name};
        eachDifference(module, memory, b, native, rewritten,
                       [&](uint64_t offset, const Format& format, uint64_t want, uint64_t got) {
                           if (isOpenAt(allowed, offset) ||
                               distance(format, want, got) <= kFactor * allowed.spread) {
                               ++comparison.inexact;
                               return;
                           }
                           if (difference.count++ != 0) return;
                           difference.byte = offset;
                           difference.place = {b, offset, format.bytes()};
                           difference.native = textOf(format, want);
                           difference.rewritten = textOf(format, got);
                       });
        if (difference.count != 0) comparison.differences.push_back(std::move(difference));
    }
    return comparison;
}

WrittenCount countWritten(const Module& module, const Memory& memory, const Execution& native,
                          const Freedom* freedom) {
    WrittenCount count;
    for (size_t b = 0; b < memory.buffers.size(); ++b) {
        const Accesses& writers = writersOf(native, b);
        visitNumbers(module, memory.interface, memory.buffers[b], writers,
                     [&](uint64_t offset, const Format&) {
                         if (offset >= writers.size() || writers[offset] == 0) return;
                         ++count.all;
                         if (freedom != nullptr && isOpenAt(freedom->buffers[b], offset))
                             ++count.open;
                     });
    }
    return count;
}

}  // namespace coopvk::check
