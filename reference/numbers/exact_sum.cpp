// SPDX-License-Identifier: Apache-2.0
#include "numbers/exact_sum.hpp"

#include <bit>

namespace coopvk::reference::numbers {
namespace {

constexpr uint64_t kLow = 0xFFFFFFFF;
constexpr uint32_t kCarryAfter = 1u << 29;  // additions to a digit before it may overflow

}  // namespace

bool ExactSum::addSpecial(const Exact& a, const Exact& b, bool negative) {
    if (a.kind == Kind::finite && b.kind == Kind::finite) return false;
    const bool invalid = a.kind == Kind::nan || b.kind == Kind::nan || a.zero() || b.zero();
    nan_ |= invalid;
    (negative ? negativeInfinity_ : positiveInfinity_) |= !invalid;
    return true;
}

void ExactSum::addProduct(const Exact& a, const Exact& b) {
    const bool negative = a.negative != b.negative;
    positiveAddend_ |= !negative;
    if (addSpecial(a, b, negative)) return;
    // Halves of 32 bits, whose products have 64 bits.
    const int32_t exponent = a.exponent + b.exponent;
    addMagnitude((a.significand & kLow) * (b.significand & kLow), exponent, negative);
    addMagnitude((a.significand >> 32) * (b.significand & kLow), exponent + 32, negative);
    addMagnitude((a.significand & kLow) * (b.significand >> 32), exponent + 32, negative);
    addMagnitude((a.significand >> 32) * (b.significand >> 32), exponent + 64, negative);
}

void ExactSum::addMagnitude(uint64_t significand, int32_t exponent, bool negative) {
    if (significand == 0) return;
    const auto bit = uint32_t(exponent - kLowest);
    const uint32_t shift = bit % 32;
    const uint64_t parts[] = {(significand & kLow) << shift, (significand >> 32) << shift};
    size_t digit = bit / 32;
    for (uint64_t part : parts) {
        for (size_t i = digit++; part != 0; part >>= 32, ++i) {
            digits_[i] += negative ? -int64_t(part & kLow) : int64_t(part & kLow);
        }
    }
    if (++outstanding_ == kCarryAfter) carry();
}

void ExactSum::carry() {
    for (size_t i = 0; i + 1 < kDigits; ++i) {
        const int64_t high = digits_[i] >> 32;  // rounds down, so that the rest is not negative
        digits_[i] -= high << 32;
        digits_[i + 1] += high;
    }
    outstanding_ = 0;
}

Exact ExactSum::value() const {
    if (nan_ || (positiveInfinity_ && negativeInfinity_)) return {Kind::nan, false, false, 0, 0};
    if (positiveInfinity_ || negativeInfinity_) {
        return {Kind::infinity, negativeInfinity_, false, 0, 0};
    }
    ExactSum sum = *this;
    sum.carry();
    const bool negative = sum.digits_[kDigits - 1] < 0;
    if (negative) {
        for (int64_t& digit : sum.digits_) digit = -digit;
        sum.carry();
    }
    size_t top = kDigits;
    while (top > 0 && sum.digits_[top - 1] == 0) --top;
    if (top == 0) return {Kind::finite, !positiveAddend_, false, 0, 0};
    // Three digits contain 64 bits from the highest bit on.
    const auto digit = [&](size_t back) {
        return top > back ? uint64_t(sum.digits_[top - 1 - back]) : uint64_t(0);
    };
    const auto used = uint32_t(std::bit_width(digit(0)));  // 1 to 32
    Exact value{Kind::finite, negative, false, kLowest + 32 * (int32_t(top) - 2), 0};
    value.significand = digit(0) << 32 | digit(1);
    value.significand = value.significand << (32 - used) | digit(2) >> used;
    value.exponent -= int32_t(32 - used);
    value.more = (digit(2) & ((uint64_t(1) << used) - 1)) != 0;
    for (size_t back = 3; back < top; ++back) value.more |= digit(back) != 0;
    return value;
}

}  // namespace coopvk::reference::numbers
