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

// The exponent of the last bit that is set; of zero a large number.
int32_t lastBit(double value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t mantissa = bits & numbers::lowBits(kDoubleMantissa);
    const bool isNormal = (bits >> kDoubleMantissa & 0x7FF) != 0;
    const uint64_t whole = mantissa | uint64_t{isNormal} << kDoubleMantissa;
    if (whole == 0) return 1 << 20;
    return topBit(value) - kDoubleMantissa + std::countr_zero(whole);
}

}  // namespace

SumBounds::SumBounds(numbers::Number number, uint32_t bits)
    : number_(number), largest_(intervals::largestOf(number)) {
    const numbers::Format& f = numbers::format(number);
    bits_ = bits != 0 ? int32_t(bits) : f.mantissaBits + 1;
    smallest_ = 1 - f.bias - f.mantissaBits;
}

void SumBounds::addFinite(const Addend& addend, int32_t lowestBit) {
    if (addend.low == 0 && addend.high == 0) return;
    low_ += addend.low;
    high_ += addend.high;
    positive_ += std::max(addend.high, 0.0);
    negative_ += std::max(-addend.low, 0.0);
    lowestBit_ = std::min(lowestBit_, lowestBit);
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
    exact_ &= addend.low == addend.high;
    addFinite({addend.low, addend.high}, lastBit(addend.low));
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
        return addFinite({-0x1p-1074, 0x1p-1074}, 0);
    }
    if (product != 0) addFinite(rounded(product), lastBit(a) + lastBit(b));
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

double SumBounds::unitInLastPlace(double value) const {
    return std::ldexp(1, std::max(topBit(value) - bits_ + 1, smallest_));
}

// All sums are multiples of the addends' last bit.
double SumBounds::errorAt(double magnitude) const {
    const double unit = unitInLastPlace(magnitude);
    if (!exact_ || lowestBit_ > 1100) return unit;
    const bool isExact = lowestBit_ >= smallest_ && magnitude <= largest_ &&
                         magnitude <= std::ldexp(1, std::min(lowestBit_ + bits_, 1100));
    return isExact ? 0 : std::max(unit - std::ldexp(1, lowestBit_), 0.0);
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

// Of additions in any order, where each partial sum may be off by `earlier`. In a tree of additions
// at most count - n + 1 sums have n addends or more; those of more than a half of them have
// different numbers of addends. So each sum counts as one of n addends, for all n from 2 on, or as
// a smaller one.
double SumBounds::errorOf(const std::vector<double>& parts, double earlier) const {
    const size_t count = parts.size() - 1;
    double result = 0, mostOfSmall = 0;
    for (size_t n = 2; n <= count; ++n) {
        const double own = errorAt(parts[n] + earlier);
        if (n <= count / 2) mostOfSmall = std::max(mostOfSmall, own);
        result += std::max(own, mostOfSmall);
    }
    return result;
}

double SumBounds::error() const {
    const double most = std::max(positive_, negative_);
    const bool isApart = count_ <= kMostApart;
    const std::vector<double> parts = isApart ? largestPartsByCount() : std::vector<double>();
    // What earlier roundings add makes later ones larger, by less and less.
    double error = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        const double next =
            isApart ? errorOf(parts, error) : double(count_) * errorAt(most + error);
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
    result.low = std::clamp(low_ - error, -largest_, largest_);
    result.high = std::clamp(high_ + error, -largest_, largest_);
    return result;
}

}  // namespace coopvk::reference
