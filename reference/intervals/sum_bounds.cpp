// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>

#include "intervals/arithmetic.hpp"

namespace coopvk::reference {
namespace {

constexpr int32_t kDoubleBias = 1023, kDoubleMantissa = 52;

// The exponent of the first bit of a double; of zero that of the smallest number.
int32_t topBit(double value) {
    const auto field = int32_t(std::bit_cast<uint64_t>(value) >> kDoubleMantissa & 0x7FF);
    return std::max(field, 1) - kDoubleBias;
}

// Of so many addends, orders are counted.
constexpr uint64_t kMostApart = 128;
constexpr int kMostRounds = 64;
// The last bit of what may be any number, and of zero.
constexpr int32_t kAnyBit = -(1 << 20), kNoBit = 1 << 20;

// The exponent of the last bit that is set; of zero a large number.
int32_t lastBit(double value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t mantissa = bits & numbers::lowBits(kDoubleMantissa);
    const bool isNormal = (bits >> kDoubleMantissa & 0x7FF) != 0;
    const uint64_t whole = mantissa | uint64_t{isNormal} << kDoubleMantissa;
    if (whole == 0) return kNoBit;
    return topBit(value) - kDoubleMantissa + std::countr_zero(whole);
}

}  // namespace

SumBounds::SumBounds(numbers::Number number, uint32_t bits)
    : largest_(intervals::largestOf(number)) {
    const numbers::Format& f = numbers::format(number);
    bits_ = bits != 0 ? int32_t(bits) : f.mantissaBits + 1;
    smallest_ = 1 - f.bias - f.mantissaBits;
}

void SumBounds::addFinite(const Addend& addend) {
    if (addend.low == 0 && addend.high == 0) return;
    low_ += addend.low;
    high_ += addend.high;
    positive_ += std::max(addend.high, 0.0);
    negative_ += std::max(-addend.low, 0.0);
    lowestBit_ = std::min(lowestBit_, addend.lastBit);
    ++count_;
    if (count_ <= kMostApart) addends_.push_back(addend);
}

void SumBounds::add(const Interval& addend) {
    special_.positiveInfinity |= addend.positiveInfinity;
    special_.negativeInfinity |= addend.negativeInfinity;
    special_.nan |= addend.nan;
    if (!addend.hasFinite()) hasFinite_ = false;
    isNan_ |= !addend.hasFinite() && !addend.positiveInfinity && !addend.negativeInfinity;
    if (!addend.hasFinite()) return;
    const bool isOne = addend.low == addend.high;
    exact_ &= isOne;
    addFinite({addend.low, addend.high, isOne ? lastBit(addend.low) : kAnyBit});
}

// A product that the format does not have may be rounded, too.
SumBounds::Addend SumBounds::rounded(double product) const {
    const double unit = unitInLastPlace(product), units = product / unit;
    if (std::abs(product) > largest_ || std::abs(units) > 0x1p52)
        return {product - unit, product + unit};
    return {std::floor(units) * unit, std::ceil(units) * unit};
}

void SumBounds::addProduct(double a, double b) {
    const double product = a * b;
    if (!std::isfinite(product)) {
        const bool overflows = std::isfinite(a) && std::isfinite(b);
        return add(overflows ? Interval::all() : Interval::of(product));
    }
    if (product == 0 && a != 0 && b != 0) {
        exact_ = false;
        return addFinite({-0x1p-1074, 0x1p-1074, kAnyBit});
    }
    if (product == 0) return;
    Addend addend = rounded(product);
    addend.lastBit = lastBit(a) + lastBit(b);
    addFinite(addend);
}

void SumBounds::addProduct(const Interval& a, const Interval& b) {
    if (a.low == a.high && b.low == b.high && !intervals::hasSpecial(a) &&
        !intervals::hasSpecial(b))
        return addProduct(a.low, b.low);
    Interval product = intervals::multiply(a, b);
    if (product.hasFinite())
        product = intervals::widened(product, [this](double end) { return unitInLastPlace(end); });
    add(product);
}

int32_t SumBounds::unitBit(double value) const {
    return std::max(topBit(value) - bits_ + 1, smallest_);
}
double SumBounds::unitInLastPlace(double value) const { return std::ldexp(1, unitBit(value)); }

// All sums are multiples of the addends' last bit.
double SumBounds::errorOf(int32_t unitBit) const {
    const double unit = std::ldexp(1, unitBit);
    if (!exact_ || lowestBit_ > 1100) return unit;
    return std::max(unit - std::ldexp(1, lowestBit_), 0.0);
}

double SumBounds::errorAt(double magnitude) const {
    const bool isExact = exact_ && lowestBit_ >= smallest_ && magnitude <= largest_ &&
                         magnitude <= std::ldexp(1, std::min(lowestBit_ + bits_, 1100));
    return isExact ? 0 : errorOf(unitBit(magnitude));
}

// At index n: of n addends. The largest sum is that of the largest ones.
std::vector<double> SumBounds::largestPartsByCount() const {
    std::vector<double> up, down, parts = {0};
    for (const Addend& addend : addends_) {
        up.push_back(addend.high);
        down.push_back(-addend.low);
    }
    std::ranges::sort(up, std::greater());
    std::ranges::sort(down, std::greater());
    double above = 0, below = 0;
    for (size_t n = 0; n < up.size(); ++n) {
        above += up[n];
        below += down[n];
        parts.push_back(std::max(above, below));
    }
    return parts;
}

std::vector<int32_t> SumBounds::sortedLastBits() const {
    std::vector<int32_t> bits;
    for (const Addend& addend : addends_) bits.push_back(addend.lastBit);
    std::ranges::sort(bits);
    return bits;
}

// Of additions in any order, where each partial sum may be off by `earlier`. In a tree of additions
// at most count - n + 1 sums have n addends or more; those of more than a half of them have
// different numbers of addends. So each sum counts as one of n addends, for all n from 2 on, or as
// a smaller one.
//
// A rounding to multiples of 2^k changes something only if an operand is no multiple, and its
// result is one. A sum of multiples is a multiple. So at most as many roundings to multiples of 2^k
// change something as there are addends that are none.
double SumBounds::errorOf(const std::vector<double>& parts, const std::vector<int32_t>& lastBits,
                          double earlier) const {
    const size_t count = parts.size() - 1;
    std::vector<int32_t> units;
    int32_t mostOfSmall = smallest_;
    for (size_t n = 2; n <= count; ++n) {
        const int32_t own = unitBit(parts[n] + earlier);
        if (n <= count / 2) mostOfSmall = std::max(mostOfSmall, own);
        units.push_back(std::max(own, mostOfSmall));
    }
    std::ranges::sort(units, std::greater());
    double result = 0;
    size_t used = 0;  // of the roundings to multiples of 2^unit
    int32_t unit = kNoBit;
    for (const int32_t most : units) {
        if (most < unit) {
            unit = most;
            used = 0;
        }
        const auto rounded = [&] {
            return size_t(std::ranges::lower_bound(lastBits, unit) - lastBits.begin());
        };
        while (rounded() != 0 && used >= rounded()) {
            --unit;
            used = 0;
        }
        if (rounded() == 0) break;
        result += errorOf(unit);
        ++used;
    }
    return result;
}

double SumBounds::error() const {
    const double most = std::max(positive_, negative_);
    const bool isApart = count_ <= kMostApart;
    const std::vector<double> parts = isApart ? largestPartsByCount() : std::vector<double>();
    const std::vector<int32_t> lastBits = isApart ? sortedLastBits() : std::vector<int32_t>();
    // What earlier roundings add makes later ones larger, by less and less.
    double error = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        const double next =
            isApart ? errorOf(parts, lastBits, error) : double(count_) * errorAt(most + error);
        // The sums here are rounded, too.
        if (next <= error) return error == 0 ? 0 : error + double(count_) * most * 0x1p-51;
        error = next;
    }
    return HUGE_VAL;
}

Interval SumBounds::result() const {
    if (isNan_) return Interval::of(NAN);
    Interval result = special_;
    const double error = this->error();
    result.positiveInfinity |= positive_ + error > largest_;
    result.negativeInfinity |= negative_ + error > largest_;
    result.nan |= result.positiveInfinity && result.negativeInfinity;
    if (!hasFinite_) return result;
    // Of f64, the sums here overflow, too.
    const bool isKnown = std::isfinite(positive_) && std::isfinite(negative_);
    result.low = isKnown ? std::clamp(low_ - error, -largest_, largest_) : -largest_;
    result.high = isKnown ? std::clamp(high_ + error, -largest_, largest_) : largest_;
    return result;
}

}  // namespace coopvk::reference
