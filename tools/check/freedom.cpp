// SPDX-License-Identifier: Apache-2.0
#include "freedom.hpp"

#include <algorithm>
#include <cmath>
#include <format>

namespace coopvk::check {
namespace {

namespace numbers = reference::numbers;
using reference::Choice;

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

// Equal as numbers: zeros of both signs are, and NaN of all bits.
bool areEqual(const Format& format, uint64_t a, uint64_t b) {
    const double first = valueOf(format, a), second = valueOf(format, b);
    return first == second || (std::isnan(first) && std::isnan(second));
}

enum class Allowed { kNo, kYes, kUnknown };

// Whether a number, at its first byte, may be these bits.
Allowed isAllowed(const BufferFreedom& of, uint64_t offset, const std::byte* got) {
    const reference::Deviation deviation = of.deviations[offset];
    if (!reference::isNumber(deviation)) return Allowed::kUnknown;
    const numbers::Number number = reference::numberOfDeviation(deviation);
    const Format format{.bits = numbers::format(number).bits, .number = number};
    const uint64_t bits = readBits(of.contents.data() + offset, format);
    const reference::Interval interval = reference::intervalOf(deviation, number, bits);
    const double value = numbers::valueOf(number, readBits(got, format));
    return interval.contains(value) ? Allowed::kYes : Allowed::kNo;
}

// Whether the numbers in some bytes may be those of `got`. Bytes of numbers without freedom must be
// the same.
Allowed areAllowed(const BufferFreedom& of, uint64_t offset, uint64_t size, const std::byte* want,
                   const std::byte* got) {
    uint64_t at = offset;
    while (at > 0 && of.deviations[at] == reference::kContinues) --at;
    Allowed all = Allowed::kYes;
    while (at < offset + size) {
        if (of.deviations[at] == 0) {
            if (at >= offset && want[at] != got[at]) return Allowed::kNo;
            ++at;
            continue;
        }
        const Allowed one = isAllowed(of, at, got + at);
        if (one == Allowed::kNo) return one;
        if (one == Allowed::kUnknown) all = one;
        do ++at;
        while (at < of.deviations.size() && of.deviations[at] == reference::kContinues);
    }
    return all;
}

Allowed allowedAt(const BufferFreedom& of, uint64_t offset, const Format& format,
                  const std::vector<std::byte>& want, const std::vector<std::byte>& got) {
    if (offset + format.bytes() > of.deviations.size()) return Allowed::kNo;
    return areAllowed(of, offset, format.bytes(), want.data(), got.data());
}

bool isRaceWithItself(const reference::Report& report) {
    return report.check == reference::kCheckRaces && report.word == report.otherWord &&
           !report.line.empty();
}

// What the text leaves open in floats, from a native execution that computes it beside them.
void findIntervals(const Memory& memory, const Side& native, std::array<uint32_t, 3> groups,
                   const reference::Settings& settings, reference::Functions functions,
                   Freedom& freedom) {
    const auto intervals = std::make_shared<reference::Intervals>(functions);
    reference::Settings with = settings;
    with.intervals = intervals.get();
    // Sums in memory are one after the other.
    if (memory.interface.addsFloats) with.threads = 1;
    Execution result = execute(native, memory, groups, with);
    for (size_t b = 0; b < memory.buffers.size(); ++b) {
        freedom.buffers[b].deviations = std::move(result.accessed[b].deviations);
        freedom.buffers[b].contents = std::move(result.contents[b]);
    }
    freedom.decision = intervals->decision();
    freedom.intervals = intervals;
}

void noteUnknown(const Freedom& freedom, size_t buffer, uint64_t offset, WrittenCount& count) {
    const auto& deviations = freedom.buffers[buffer].deviations;
    if (offset >= deviations.size() || !reference::isUnknown(deviations[offset])) return;
    if (count.unknown++ == 0) count.why = freedom.intervals->reason(deviations[offset]);
}

}  // namespace

bool Freedom::allows(const reference::Report& report) const {
    if ((checks & report.check) != 0) return true;
    return report.check == reference::kCheckRaces && repeated.contains(report.line);
}

Freedom findFreedom(const Module& module, const Memory& memory, const Side& native,
                    std::array<uint32_t, 3> groups, const reference::Settings& settings,
                    const Execution& exact, reference::Functions functions) {
    Freedom freedom{.buffers = std::vector<BufferFreedom>(memory.buffers.size())};
    findIntervals(memory, native, groups, settings, functions, freedom);
    const auto variant = [&](Choice placement, const auto& note) {
        reference::Settings other = settings;
        other.sums = Choice::kExact;
        other.placement = placement;
        if (placement <= Choice::kExact) other.schedule = placement;
        other.calls = reference::Calls::kRepeated;
        const Execution result = execute(native, memory, groups, other);
        for (const reference::Report& report : result.reports) {
            if (isRaceWithItself(report))
                freedom.repeated.insert(report.line);
            else
                freedom.checks |= report.check;
        }
        for (size_t b = 0; b < memory.buffers.size(); ++b)
            eachDifference(module, memory, b, exact, result,
                           [&](uint64_t offset, const Format& format, uint64_t, uint64_t) {
                               const Allowed is = allowedAt(freedom.buffers[b], offset, format,
                                                            exact.contents[b], result.contents[b]);
                               if (is == Allowed::kNo) note(freedom.buffers[b], offset);
                           });
    };
    // With the map of a GPU, another placement only tells whether the module itself races.
    const bool isMapped = settings.placement != Choice::kPlain;
    for (const Choice placement : {Choice::kShuffled, Choice::kAdversarial}) {
        variant(placement, [&](BufferFreedom& of, uint64_t offset) {
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
                           Allowed isAllowed = Allowed::kNo;
                           if (isOpenAt(allowed, offset) || areEqual(format, want, got))
                               isAllowed = Allowed::kYes;
                           else
                               isAllowed = allowedAt(allowed, offset, format, native.contents[b],
                                                     rewritten.contents[b]);
                           if (isAllowed == Allowed::kYes) ++comparison.inexact;
                           if (isAllowed == Allowed::kUnknown) ++comparison.unknown;
                           if (isAllowed != Allowed::kNo || difference.count++ != 0) return;
                           const BufferUse& use = memory.buffers[b].use;
                           difference.byte = offset;
                           if (use.place == Place::kList && use.invocations > 1) {
                               const uint64_t each = native.contents[b].size() / use.invocations;
                               difference.buffer += std::format(" of invocation {}", offset / each);
                               difference.byte %= each;
                           }
                           difference.place = {b, offset, format.bytes()};
                           difference.native = textOf(format, want);
                           difference.rewritten = textOf(format, got);
                       });
        if (difference.count != 0) comparison.differences.push_back(std::move(difference));
    }
    return comparison;
}

Execution asNative(const Module& module, const Memory& memory, const Execution& native,
                   const Execution& other, const Execution& got) {
    Execution result{.contents = got.contents};
    for (size_t b = 0; b < memory.buffers.size(); ++b)
        eachDifference(module, memory, b, native, other,
                       [&](uint64_t offset, const Format& format, uint64_t want, uint64_t may) {
                           std::byte* place = result.contents[b].data() + offset;
                           if (readBits(place, format) == may) writeBits(place, format, want);
                       });
    return result;
}

WrittenCount countWritten(const Module& module, const Memory& memory, const Execution& native,
                          const Freedom* freedom) {
    WrittenCount count;
    for (size_t b = 0; b < memory.buffers.size(); ++b) {
        const Accesses& writers = writersOf(native, b);
        if (std::ranges::all_of(writers, [](uint32_t writer) { return writer == 0; })) continue;
        visitNumbers(module, memory.interface, memory.buffers[b], writers,
                     [&](uint64_t offset, const Format&) {
                         if (offset >= writers.size() || writers[offset] == 0) return;
                         ++count.all;
                         if (freedom == nullptr) return;
                         if (isOpenAt(freedom->buffers[b], offset))
                             ++count.open;
                         else
                             noteUnknown(*freedom, b, offset, count);
                     });
    }
    return count;
}

}  // namespace coopvk::check
