// SPDX-License-Identifier: Apache-2.0
#include "sums.hpp"

#include <algorithm>
#include <format>
#include <optional>

#include "rewritten.hpp"

namespace coopvk::oracle {
namespace {

std::vector<Real> addendsOf(const Terms& terms) {
    std::vector<Real> all = terms.addends;
    for (const auto& [a, b] : terms.products) all.push_back(a * b);
    return all;
}

// How one device computes a sum.
class Way {
 public:
    Way(const Format& format, Random& random) : format_(format), random_(random), inner_(format) {
        const uint64_t precision = random() % 4;
        isExact_ = precision == 0;
        if (precision == 1 && format.precision < kF32.precision) inner_ = kF32;
        if (precision == 2) inner_.precision += int(random() % 20);
        if (random() % 2 == 0) direction_ = Direction(random() % 4);
        roundsProducts_ = random() % 3;
    }

    Real sum(const Terms& terms) {
        std::vector<Real> parts = terms.addends;
        for (const auto& [a, b] : terms.products) parts.push_back(product(a * b));
        if (random_() % 2 == 0) std::ranges::shuffle(parts, random_);
        if (random_() % 4 == 0) std::ranges::reverse(parts);
        return last(random_() % 2 == 0 ? inTree(std::move(parts)) : inBlocks(parts));
    }

 private:
    Real product(const Real& exact) {
        const bool isRounded = roundsProducts_ == 0 || (roundsProducts_ == 1 && random_() % 2 == 0);
        return isRounded ? inner(exact) : exact;
    }
    Direction direction() { return direction_.value_or(Direction(random_() % 4)); }
    // A partial sum beyond the range is infinite whatever the direction.
    Real inner(const Real& exact) {
        if (isExact_) return exact;
        const Real rounded = round(inner_, exact, direction());
        const bool isBeyond = exact.isFinite() && inner_.largest() < exact.magnitudeOf();
        return isBeyond && rounded.isFinite() && !isWithinUnit(exact)
                   ? Real::infinity(exact.isNegative())
                   : rounded;
    }
    bool isWithinUnit(const Real& exact) const {
        return exact.magnitudeOf() < inner_.largest() + unitAt(inner_, inner_.largest());
    }
    Real last(const Real& value) { return round(format_, value, direction()); }

    Real inTree(std::vector<Real> parts) {
        while (parts.size() > 1) {
            std::swap(parts[random_() % parts.size()], parts.back());
            const Real part = parts.back();
            parts.pop_back();
            Real& other = parts[random_() % parts.size()];
            other = inner(other + part);
        }
        return parts[0];
    }
    // One after the other, some of them added exactly and rounded once, as matrix units do.
    Real inBlocks(const std::vector<Real>& parts) {
        const size_t together = size_t{1} << random_() % 5;
        Real result = parts[0];
        for (size_t i = 1; i < parts.size(); i += together) {
            for (size_t j = i; j < std::min(i + together, parts.size()); ++j)
                result = result + parts[j];
            result = inner(result);
        }
        return result;
    }

    const Format& format_;
    Random& random_;
    Format inner_;
    bool isExact_ = false;
    std::optional<Direction> direction_;
    uint64_t roundsProducts_ = 0;
};

// What rounding the products and the sums of finite addends may cost.
Real errorOf(const Format& format, const std::vector<Real>& addends, const Real& most) {
    long last = 1 << 20;
    Real ofProducts(0);
    for (const Real& addend : addends) {
        if (addend.isZero()) continue;
        long bit = addend.exponent();
        while (!(addend.scaled(-bit).whole(Direction::kZero) == addend.scaled(-bit))) --bit;
        last = std::min(last, bit);
        if (!(round(format, addend, Direction::kZero) == addend))
            ofProducts = ofProducts + unitAt(format, addend);
    }
    const bool isExact = most <= Real(1).scaled(last + format.precision) &&
                         most <= format.largest() && last >= unitAt(format, Real(0)).exponent();
    if (isExact) return Real(0);
    const Real steps{double(addends.size())};
    const Real first = steps * unitAt(format, most) + ofProducts;
    return steps * unitAt(format, most + first) + ofProducts;
}

// Of rounded products, one after the other.
Real inOrder(const Format& format, const std::vector<Real>& parts, Direction direction) {
    Real result = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) result = round(format, result + parts[i], direction);
    return result;
}

// From the first addend on, each step takes that one whose rounding goes furthest.
std::vector<Real> byRounding(const Format& format, std::vector<Real> parts, Direction direction) {
    Real result = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) {
        size_t best = i;
        Real most(-1);
        for (size_t j = i; j < parts.size(); ++j) {
            const Real exact = result + parts[j];
            const Real rounding = (round(format, exact, direction) - exact).magnitudeOf();
            if (most < rounding) {
                most = rounding;
                best = j;
            }
        }
        std::swap(parts[i], parts[best]);
        result = round(format, result + parts[i], direction);
    }
    return parts;
}

// Exchanges two addends as long as that goes further.
Real furthest(const Format& format, std::vector<Real> parts, Direction direction, Random& random) {
    Real best = inOrder(format, parts, direction);
    for (int i = 0; i < 1000 && parts.size() > 1; ++i) {
        Real &one = parts[random() % parts.size()], &other = parts[random() % parts.size()];
        std::swap(one, other);
        const Real now = inOrder(format, parts, direction);
        if (!now.isFinite() || (direction == Direction::kUp ? now < best : best < now))
            std::swap(one, other);
        else
            best = now;
    }
    return best;
}

}  // namespace

Real exactSum(const Terms& terms) {
    Real result(0);
    for (const Real& addend : addendsOf(terms)) result = result + addend;
    return result;
}

Permitted permitted(const Format& format, const Terms& terms) {
    Permitted result;
    const std::vector<Real> addends = addendsOf(terms);
    std::vector<Real> finite;
    Real positive(0), negative(0);
    for (const Real& addend : addends) {
        if (addend.isNan()) return {.nan = true};
        if (addend.isInfinite())
            (addend.isNegative() ? result.negativeInfinity : result.positiveInfinity) = true;
        if (!addend.isFinite()) continue;
        finite.push_back(addend);
        (addend.isNegative() ? negative : positive) =
            (addend.isNegative() ? negative : positive) + addend.magnitudeOf();
    }
    result.isFinite = !result.positiveInfinity && !result.negativeInfinity;
    const Real error = errorOf(format, finite, positive < negative ? negative : positive);
    const Real exact = positive - negative, largest = format.largest();
    result.low = exact - error;
    result.high = exact + error;
    result.positiveInfinity |= largest < positive + error;
    result.negativeInfinity |= largest < negative + error;
    result.nan = result.positiveInfinity && result.negativeInfinity;
    return result;
}

bool Permitted::contains(const Real& value) const {
    if (value.isNan()) return nan;
    if (value.isInfinite()) return value.isNegative() ? negativeInfinity : positiveInfinity;
    return isFinite && low <= value && value <= high;
}

Real sampled(const Format& format, const Terms& terms, Random& random) {
    return Way(format, random).sum(terms);
}

reference::Interval observed(const Format& format, const Terms& terms, Random& random) {
    reference::Interval seen;
    for (const Direction direction : {Direction::kUp, Direction::kDown}) {
        std::vector<Real> parts = terms.addends;
        for (const auto& [a, b] : terms.products) parts.push_back(round(format, a * b, direction));
        std::ranges::sort(parts, [](const Real& a, const Real& b) { return b < a; });
        for (int start = 0; start < 4; ++start) {
            if (start % 2 == 0) std::ranges::reverse(parts);
            const bool isByRounding = start >= 2;
            seen.add(furthest(format, isByRounding ? byRounding(format, parts, direction) : parts,
                              direction, random)
                         .toDouble());
        }
    }
    return seen;
}

// What coopvk makes has other intervals: of the instructions that it emits.
bool contains(const reference::Interval& interval, const Real& value) {
    return judgesRewriter() || interval.contains(value.toDouble());
}

std::string textOf(const reference::Interval& interval) {
    return std::format("[{}, {}]{}{}{}", interval.low, interval.high,
                       interval.positiveInfinity ? ", infinity" : "",
                       interval.negativeInfinity ? ", -infinity" : "", interval.nan ? ", NaN" : "");
}

}  // namespace coopvk::oracle
