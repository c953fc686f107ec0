// SPDX-License-Identifier: Apache-2.0
//
// Sets of floats, and their short form. Of a number: 4 bits of its format, 3 of what is in the set
// beside finite numbers, 23 of a radius about the value: the first bits of a double, rounded up.
// Infinity has a bit of its own there, unless it is a product beyond the format's range that a sum
// may take before it is rounded: then the radius says how far beyond.
#include <bit>

#include "coopvk_reference/intervals.hpp"
#include "intervals/arithmetic.hpp"

namespace coopvk::reference {
namespace {

using intervals::largestOf;
using intervals::numbersIn;
using numbers::Number;

constexpr uint32_t kRadiusBits = 23, kRadiusShift = 63 - kRadiusBits;
constexpr Deviation kPositive = 1u << 23, kNegative = 1u << 24, kNan = 1u << 25;

// The finite number about which radii are.
double centreOf(Number number, double value) {
    if (std::isnan(value)) return 0;
    return std::isinf(value) ? std::copysign(largestOf(number), value) : value;
}

// A difference of numbers that are far apart is rounded, and may be too short.
double radiusOf(const Interval& interval, double centre) {
    const double radius = std::max(interval.high - centre, centre - interval.low);
    const bool isTooShort = centre - radius > interval.low || centre + radius < interval.high;
    return isTooShort ? std::nextafter(radius, HUGE_VAL) : radius;
}

uint32_t shortened(double radius) {
    const uint64_t bits = std::bit_cast<uint64_t>(radius);
    constexpr uint64_t kRest = (uint64_t{1} << kRadiusShift) - 1;
    return uint32_t((bits + kRest) >> kRadiusShift);
}
double lengthened(uint32_t bits) { return std::bit_cast<double>(uint64_t{bits} << kRadiusShift); }
double radiusIn(Deviation deviation) { return lengthened(deviation & ((1u << kRadiusBits) - 1)); }

Deviation infinity(double value) { return value > 0 ? kPositive : kNegative; }

bool isBeyond(Deviation deviation, double value) {
    return std::isinf(value) && (deviation & infinity(value)) == 0;
}

// Whether all finite numbers of the interval are larger than the format's, and nothing else is
// there than the infinity that they are rounded to.
bool isBeyond(const Interval& interval, Number number, double value) {
    if (!std::isinf(value) || !interval.hasFinite() || interval.nan) return false;
    const double most = largestOf(number);
    return value > 0 ? interval.low > most && !interval.negativeInfinity
                     : interval.high < -most && !interval.positiveInfinity;
}

}  // namespace

void Interval::add(double value) {
    if (std::isnan(value)) {
        nan = true;
    } else if (std::isinf(value)) {
        (value > 0 ? positiveInfinity : negativeInfinity) = true;
    } else {
        low = std::min(low, value);
        high = std::max(high, value);
    }
}

void Interval::unite(const Interval& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    positiveInfinity |= other.positiveInfinity;
    negativeInfinity |= other.negativeInfinity;
    nan |= other.nan;
}

bool Interval::contains(double value) const {
    if (std::isnan(value)) return nan;
    if (std::isinf(value)) return value > 0 ? positiveInfinity : negativeInfinity;
    return value >= low && value <= high;
}

Deviation deviationOf(Number number, uint64_t bits, const Interval& interval) {
    const double value = numbers::decodeDouble(number, bits);
    const double centre = centreOf(number, value);
    if (isBeyond(interval, number, value))
        return uint32_t(number) << 26 | shortened(radiusOf(interval, centre));
    double radius = 0;
    if (interval.hasFinite() && !(interval.low == value && interval.high == value))
        radius = radiusOf(interval, centre);
    if (std::isnan(value) && interval.hasFinite()) radius = HUGE_VAL;
    if (std::isinf(value) && interval.hasFinite()) radius = std::max(radius, 0x1p-1074);
    Deviation flags = 0;
    if (interval.positiveInfinity) flags |= kPositive;
    if (interval.negativeInfinity) flags |= kNegative;
    if (interval.nan) flags |= kNan;
    // What the value itself is in any case.
    Deviation own = 0;
    if (std::isnan(value)) own = kNan;
    if (std::isinf(value)) own = infinity(value);
    if ((flags & ~own) == 0 && !(radius > 0)) return 0;
    return uint32_t(number) << 26 | flags | own | shortened(std::max(radius, 0x1p-1074));
}

Deviation anyNan(Number number) { return uint32_t(number) << 26 | kNan; }

Interval intervalOf(Deviation deviation, Number number, uint64_t bits) {
    const Interval set = unroundedOf(deviation, number, bits);
    const bool isKnown = isNumber(deviation) && numberOfDeviation(deviation) == number;
    const double value = numbers::decodeDouble(number, bits);
    if (isKnown && isBeyond(deviation, value)) return Interval::of(value);
    return isKnown ? numbersIn(set, number) : set;
}

Interval unroundedOf(Deviation deviation, Number number, uint64_t bits) {
    const double value = numbers::decodeDouble(number, bits);
    if (deviation == 0) return Interval::of(value);
    if (!isNumber(deviation) || numberOfDeviation(deviation) != number) return Interval::all();
    Interval interval;
    interval.positiveInfinity = (deviation & kPositive) != 0;
    interval.negativeInfinity = (deviation & kNegative) != 0;
    interval.nan = (deviation & kNan) != 0;
    if (deviation == anyNan(number)) return interval;
    const double radius = radiusIn(deviation);
    const double centre = centreOf(number, value), most = largestOf(number);
    if (isBeyond(deviation, value)) {
        interval = Interval::between(std::min(centre, centre + std::copysign(radius, value)),
                                     std::max(centre, centre + std::copysign(radius, value)));
        interval.add(value);
        return interval;
    }
    // The radius was rounded up by much more than these sums are rounded.
    interval.low = std::max(std::nextafter(centre - radius, -HUGE_VAL), -most);
    interval.high = std::min(std::nextafter(centre + radius, HUGE_VAL), most);
    return interval;
}

Deviation Intervals::unknown(const std::string& why) {
    const std::lock_guard lock(mutex_);
    const auto [found, isNew] = byReason_.emplace(why, 0);
    if (isNew) {
        found->second = 1u << 30 | uint32_t(reasons_.size());
        reasons_.push_back(why);
    }
    return found->second;
}

std::string Intervals::reason(Deviation deviation) const {
    const std::lock_guard lock(mutex_);
    return isUnknown(deviation) ? reasons_[deviation & 0x3FFFFFFF] : "";
}

Deviation Intervals::parts(const ByteDeviations& parts) {
    const std::lock_guard lock(mutex_);
    const auto [found, isNew] = byParts_.emplace(parts, 0);
    if (isNew) {
        found->second = 2u << 30 | uint32_t(parts_.size());
        parts_.push_back(parts);
    }
    return found->second;
}

ByteDeviations Intervals::partsOf(Deviation deviation) const {
    const std::lock_guard lock(mutex_);
    return isInParts(deviation) ? parts_[deviation & 0x3FFFFFFF] : ByteDeviations{};
}

Deviation Intervals::add(const void* memory, Number number, const Interval& before,
                         const Interval& addend, uint64_t after) {
    const std::lock_guard lock(mutex_);
    const auto [sum, isNew] = sums_.try_emplace(memory, number);
    hasSums_ = true;
    if (isNew) sum->second.add(before);
    sum->second.add(addend);
    return deviationOf(number, after, sum->second.result());
}

void Intervals::forgetSum(const void* memory) {
    const std::lock_guard lock(mutex_);
    sums_.erase(memory);
}

void Intervals::noteDecision(const std::string& where) {
    const std::lock_guard lock(mutex_);
    if (decision_.empty()) decision_ = where;
}

std::string Intervals::decision() const {
    const std::lock_guard lock(mutex_);
    return decision_;
}

}  // namespace coopvk::reference
