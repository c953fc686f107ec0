// SPDX-License-Identifier: Apache-2.0
#include "intervals/memory.hpp"

#include <cstring>

#include "intervals/arithmetic.hpp"

namespace coopvk::reference::intervals {

ByteDeviations bytesOf(Intervals& all, Deviation deviation, uint32_t size) {
    if (isInParts(deviation)) return all.partsOf(deviation);
    ByteDeviations bytes{};
    if (deviation == 0) return bytes;
    std::fill_n(bytes.begin(), size, kContinues);
    bytes[0] = deviation;
    return bytes;
}

Deviation joined(Intervals& all, std::span<const Deviation> bytes) {
    if (std::ranges::all_of(bytes, [](Deviation d) { return d == 0; })) return 0;
    for (size_t at = 0; at < bytes.size();) {
        const Deviation first = bytes[at];
        if (first == kContinues) return kUndecided;
        if (isUnknown(first)) return first;
        size_t size = 1;
        if (first != 0) {
            size = numbers::format(numberOfDeviation(first)).bits / 8;
            if (at + size > bytes.size()) return kUndecided;
            for (size_t rest = 1; rest < size; ++rest)
                if (bytes[at + rest] != kContinues) return kUndecided;
            if (size == bytes.size()) return first;
        }
        at += size;
    }
    ByteDeviations parts{};
    std::ranges::copy(bytes, parts.begin());
    return all.parts(parts);
}

Deviation readDeviation(Intervals& all, const Deviation* from, uint32_t size) {
    return joined(all, {from, size});
}

void writeDeviation(Intervals& all, Deviation* to, const std::byte* data, uint32_t size,
                    Deviation deviation) {
    if (deviation == 0)
        std::fill_n(to, size, 0);
    else
        std::ranges::copy_n(bytesOf(all, deviation, size).begin(), size, to);
    all.forget(data);
}

void noteOperand(const Subgroup& s, const Type& scalar, const Value& value, uint32_t lane,
                 AtomicAccess& access) {
    for (uint32_t c = 0; c < value.components(); ++c)
        access.deviates |= value.deviationAt(c, lane) != 0;
    if (s.at->opcode != OpAtomicFAddEXT || value.components() != 1) return;
    access.addend = {scalar.number,
                     intervalOf(value.deviationAt(0, lane), scalar.number, value.at(0, lane))};
}

Deviation afterAtomic(Intervals& all, Deviation* memory, const std::byte* data, uint32_t size,
                      const AtomicAccess& access, uint64_t before) {
    const Deviation old = readDeviation(all, memory, size);
    uint64_t after = 0;
    std::memcpy(&after, data, size);
    Deviation result = old;
    if (access.addend) {
        const auto& [number, addend] = *access.addend;
        const Interval was = intervalOf(old, number, before);
        result = all.add(data, number, was, addend, after);
    } else if (before != after || access.deviates) {
        result = access.deviates || old != 0 ? kUndecided : 0;
    }
    std::ranges::copy_n(bytesOf(all, result, size).begin(), size, memory);
    return access.addend && (result != 0 || old != 0) ? kUndecided : old;
}

namespace {

// The largest numbers of the format in place of those that are too large, and of infinities.
Interval saturated(Interval set, numbers::Number number) {
    const double largest = largestOf(number);
    if (set.hasFinite()) {
        set.low = std::clamp(set.low, -largest, largest);
        set.high = std::clamp(set.high, -largest, largest);
    }
    if (set.positiveInfinity) set.add(largest);
    if (set.negativeInfinity) set.add(-largest);
    set.positiveInfinity = set.negativeInfinity = false;
    return set;
}

// What is behind the point.
Interval restOf(const Interval& set) {
    Interval result;
    result.nan = set.nan;
    if (set.positiveInfinity || set.negativeInfinity) result.add(0);
    if (!set.hasFinite()) return result;
    const double whole = std::trunc(set.low);
    if (whole == std::trunc(set.high))
        result.unite(Interval::between(set.low - whole, set.high - whole));
    else
        result.unite(Interval::between(set.low < 0 ? -1 : 0, set.high > 0 ? 1 : 0));
    return result;
}

}  // namespace

std::array<Deviation, 2> split(const Element& from, numbers::Number number, bool hasExponent,
                               uint64_t first, uint64_t second) {
    if (from.deviation == 0 || isUnknown(from.deviation)) return {from.deviation, from.deviation};
    const Interval set = intervalOf(from.deviation, number, from.bits);
    if (!hasExponent)
        return {deviationOf(number, first, restOf(set)),
                deviationOf(number, second, monotone(set, [](double x) { return std::trunc(x); }))};
    int low = 0, high = 0;
    Interval significand = set;
    significand.low = std::frexp(set.low, &low);
    significand.high = std::frexp(set.high, &high);
    const bool isOne = set.hasFinite() && !hasSpecial(set) && low == high &&
                       (set.low > 0) == (set.high > 0) && (set.low < 0) == (set.high < 0);
    if (isOne) return {deviationOf(number, first, significand), 0};
    if (!hasSpecial(set))
        significand = Interval::between(set.low < 0 ? -1 : 0, set.high > 0 ? 1 : 0);
    return {hasSpecial(set) ? kUndecided : deviationOf(number, first, significand), kUndecided};
}

Deviation converted(const Element& from, numbers::Number number, numbers::Number to, uint64_t bits,
                    bool saturates) {
    if (from.deviation == 0 || isUnknown(from.deviation)) return from.deviation;
    Interval set = intervalOf(from.deviation, number, from.bits);
    if (numbers::format(to).floating()) {
        if (saturates) set = saturated(set, to);
        return deviationOf(to, bits, rounded(set, to));
    }
    const bool isOne =
        set.hasFinite() && !hasSpecial(set) && std::trunc(set.low) == std::trunc(set.high);
    return isOne ? 0 : kUndecided;
}

Deviation converted(const Element& from, numbers::Number number,
                    const numbers::Conversion& conversion, uint64_t bits) {
    return converted(from, number, conversion.to(), bits, conversion.saturates());
}

// "Float to float conversion is implementation-dependent but preserves the value as accurately as
// reasonably possible": it may keep all of it. No text says which integer NaN becomes.
Deviation convertedInput(const Element& from, numbers::Number number,
                         numbers::Number interpretation, uint64_t bits) {
    const bool fromFloat = numbers::format(number).floating();
    const bool toFloat = numbers::format(interpretation).floating();
    if (fromFloat && !toFloat && std::isnan(numbers::decodeDouble(number, from.bits)))
        return kUndecided;
    const Deviation deviation = converted(from, number, interpretation, bits);
    if (!fromFloat || !toFloat || number == interpretation || isUnknown(deviation))
        return deviation;
    Interval set = intervalOf(deviation, interpretation, bits);
    const Interval kept = intervalOf(from.deviation, number, from.bits);
    const double most = largestOf(interpretation);
    const bool fits = std::max(kept.high, -kept.low) <= most || !kept.hasFinite();
    set.unite(kept);
    return fits ? deviationOf(interpretation, bits, set) : kUndecided;
}

}  // namespace coopvk::reference::intervals
