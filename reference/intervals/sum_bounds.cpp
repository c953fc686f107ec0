// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "intervals/arithmetic.hpp"

namespace coopvk::reference {
namespace {

constexpr int32_t kDoubleBias = 1023, kDoubleMantissa = 52;

// The exponent of the first bit of a double; of zero that of the smallest number.
int32_t topBit(double value) {
    const auto field = int32_t(std::bit_cast<uint64_t>(value) >> kDoubleMantissa & 0x7FF);
    return std::max(field, 1) - kDoubleBias;
}

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

void SumBounds::addFinite(double low, double high, int32_t lowestBit) {
    if (low == 0 && high == 0) return;
    low_ += low;
    high_ += high;
    positive_ += std::max(high, 0.0);
    negative_ += std::max(-low, 0.0);
    lowestBit_ = std::min(lowestBit_, lowestBit);
    exact_ &= low == high;
    ++steps_;
}

void SumBounds::add(const Interval& addend) {
    special_.positiveInfinity |= addend.positiveInfinity;
    special_.negativeInfinity |= addend.negativeInfinity;
    special_.nan |= addend.nan;
    if (!addend.hasFinite()) hasFinite_ = false;
    isNan_ |= !addend.hasFinite() && !addend.positiveInfinity && !addend.negativeInfinity;
    if (!addend.hasFinite()) return;
    addFinite(addend.low, addend.high, lastBit(addend.low));
}

void SumBounds::addProduct(double a, double b) {
    const double product = a * b;
    if (!std::isfinite(product)) {
        const bool overflows = std::isfinite(a) && std::isfinite(b);
        return add(overflows ? Interval::all() : Interval::of(product));
    }
    if (product == 0 && a != 0 && b != 0) return addFinite(-0x1p-1074, 0x1p-1074, 0);
    if (product == 0) return;
    const int32_t last = lastBit(a) + lastBit(b), top = topBit(product);
    addFinite(product, product, last);
    // A product that the format does not have is rounded, too.
    if (top - last >= bits_ || last < smallest_ || std::abs(product) > largest_)
        ofProducts_ += unitInLastPlace(product);
}

void SumBounds::addProduct(const Interval& a, const Interval& b) {
    if (a.low == a.high && b.low == b.high && !intervals::hasSpecial(a) &&
        !intervals::hasSpecial(b))
        return addProduct(a.low, b.low);
    const Interval product = intervals::multiply(a, b);
    add(product);
    if (product.hasFinite())
        ofProducts_ += unitInLastPlace(std::max(std::abs(product.low), std::abs(product.high)));
}

double SumBounds::unitInLastPlace(double value) const {
    return std::ldexp(1, std::max(topBit(value) - bits_ + 1, smallest_));
}

double SumBounds::error() const {
    const double most = std::max(positive_, negative_);
    const bool isExact = exact_ && lowestBit_ >= smallest_ && most <= largest_ &&
                         most <= std::ldexp(1, std::min(lowestBit_ + bits_, 1100));
    if (isExact) return 0;
    // The sums here are rounded, too.
    const double first = double(steps_) * unitInLastPlace(most) + ofProducts_;
    return double(steps_) * (unitInLastPlace(most + first) + most * 0x1p-51) + ofProducts_;
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
