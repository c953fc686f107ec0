// SPDX-License-Identifier: Apache-2.0
#include "numbers/exact.hpp"

#include <algorithm>

namespace coopvk::reference::numbers {
namespace {

constexpr uint64_t kOne = 1;

// The bits of a floating-point format without the sign: all ones, infinity, the largest number.
uint64_t allOnes(const Format& f) { return lowBits(f.exponentBits + f.mantissaBits); }

uint64_t infinityBits(const Format& f) { return lowBits(f.exponentBits) << f.mantissaBits; }

uint64_t largestFinite(const Format& f) {
    if (f.specials == Specials::ieee) return infinityBits(f) - 1;
    return allOnes(f) - (f.specials == Specials::allOnes ? 1 : 0);
}

uint64_t nanBits(const Format& f) {
    if (f.specials == Specials::none) return 0;
    if (f.specials == Specials::allOnes) return allOnes(f);
    return infinityBits(f) | kOne << (f.mantissaBits - 1);  // quiet: IEEE 754, 6.2.1
}

uint64_t signBit(const Format& f, bool negative) {
    return negative && f.hasSign() ? kOne << (f.bits - 1) : 0;
}

// The smallest exponent of a normal number. e8m0 has no subnormal numbers: its exponent 0 is one.
int32_t smallestExponent(const Format& f) { return (f.mantissaBits ? 1 : 0) - f.bias; }

struct Rounded {
    uint64_t bits = 0;
    bool outside = false;
};

// |value| / 2^unit, rounded; outside: it has more than 64 bits.
Rounded unitsOf(const Exact& value, int32_t unit, Rounding rounding) {
    const int32_t shift = unit - value.exponent;
    if (value.significand == 0) return {};
    if (shift <= 0) {
        if (-shift > std::countl_zero(value.significand)) return {0, true};
        return {value.significand << -shift, false};
    }
    const uint64_t whole = shift >= 64 ? 0 : value.significand >> shift;
    const uint64_t rest = value.significand & lowBits(uint32_t(std::min(shift, 64)));
    const uint64_t half = shift > 64 ? 0 : kOne << (shift - 1);  // 0: more than any rest
    const bool aboveHalf = half != 0 && (rest > half || (rest == half && value.more));
    bool up = aboveHalf || (half != 0 && rest == half && (whole & 1) != 0);
    if (rounding != Rounding::nearestEven)
        up = (rest != 0 || value.more) &&
             rounding == (value.negative ? Rounding::downward : Rounding::upward);
    return {whole + (up ? 1 : 0), false};  // shift > 0, so that the sum has at most 64 bits
}

constexpr uint64_t kBeyond = ~uint64_t{0};  // of a magnitude that is too large

// Without the sign. Outside: 0 where the magnitude is too small, other bits where it is too large.
Rounded roundFloat(const Format& f, const Exact& value, Rounding rounding) {
    if (value.significand == 0) return {0, f.mantissaBits == 0};
    const int32_t top = value.exponent + int32_t(std::bit_width(value.significand)) - 1;
    int32_t unit = std::max(top, smallestExponent(f)) - f.mantissaBits;
    uint64_t count = unitsOf(value, unit, rounding).bits;
    if (count >> (f.mantissaBits + 1)) {
        count >>= 1;  // 2^(mantissaBits + 1), which is even
        ++unit;
    }
    if (f.mantissaBits && count < kOne << f.mantissaBits) return {count, false};
    if (count == 0) return {0, true};
    const int64_t exponent = int64_t(unit) + f.mantissaBits + f.bias;
    if (exponent > int64_t(lowBits(f.exponentBits))) return {kBeyond, true};
    const uint64_t bits = uint64_t(exponent) << f.mantissaBits | (count & lowBits(f.mantissaBits));
    return {bits, bits > largestFinite(f)};
}

// Of a magnitude that is too large.
uint64_t floatBeyond(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    const bool inward = rounding == Rounding::towardZero ||
                        rounding == (value.negative ? Rounding::upward : Rounding::downward);
    // IEEE 754, 7.4: rounding inwards carries to the largest finite number. SPV_EXT_float8,
    // "Conversion Instructions", knows no such exception.
    const bool keepsFinite = inward && value.kind == Kind::finite && f.bits > 8;
    if (overflow == Overflow::saturate || keepsFinite || f.specials == Specials::none)
        return largestFinite(f);
    return f.specials == Specials::ieee ? infinityBits(f) : nanBits(f);
}

Rounded encodeFloat(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    const uint64_t sign = signBit(f, value.negative);
    if (value.kind == Kind::nan) return {nanBits(f) | sign, f.specials == Specials::none};
    if (value.negative && !f.hasSign()) return {nanBits(f), true};
    Rounded rounded{kBeyond, true};
    if (value.kind == Kind::finite) rounded = roundFloat(f, value, rounding);
    if (rounded.outside && rounded.bits != 0)
        rounded.bits = floatBeyond(f, value, rounding, overflow);
    return {rounded.bits | sign, rounded.outside};
}

Rounded encodeFixed(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    if (value.kind == Kind::nan) return {0, true};
    // Magnitudes.
    const uint64_t most = !f.isSigned()    ? value.negative ? 0 : f.mask()
                             : value.negative ? kOne << (f.bits - 1)
                                           : f.mask() >> 1;
    Rounded units = unitsOf(value, -int32_t(f.mantissaBits), rounding);
    const bool outside = value.kind == Kind::infinity || units.outside || units.bits > most;
    if (overflow != Overflow::wrap && outside) units.bits = most;
    return {(value.negative ? ~units.bits + 1 : units.bits) & f.mask(), outside};
}

Exact decodeFixed(const Format& f, uint64_t bits) {
    const bool negative = f.isSigned() && (bits >> (f.bits - 1) & 1);
    const uint64_t magnitude = negative ? (~bits + 1) & f.mask() : bits;
    return {Kind::finite, negative, false, -int32_t(f.mantissaBits), magnitude};
}

}  // namespace

Exact decode(Number number, uint64_t bits) {
    const Format& f = format(number);
    bits &= f.mask();
    if (!f.floating()) return decodeFixed(f, bits);
    const bool negative = f.hasSign() && (bits >> (f.bits - 1) & 1);
    const uint64_t magnitude = bits & allOnes(f);
    if (magnitude > largestFinite(f)) {
        const bool infinite = f.specials == Specials::ieee && magnitude == infinityBits(f);
        return {infinite ? Kind::infinity : Kind::nan, negative};
    }
    const auto field = int32_t(magnitude >> f.mantissaBits);
    const uint64_t mantissa = magnitude & lowBits(f.mantissaBits);
    const bool normal = field != 0 || f.mantissaBits == 0;
    const int32_t exponent = normal ? field - f.bias : smallestExponent(f);
    return {Kind::finite, negative, false, exponent - f.mantissaBits,
            mantissa | (normal ? kOne << f.mantissaBits : 0)};
}

uint64_t encode(Number number, const Exact& value, Rounding rounding, Overflow overflow,
                bool* outside) {
    const Format& f = format(number);
    const Rounded rounded = f.floating() ? encodeFloat(f, value, rounding, overflow)
                                         : encodeFixed(f, value, rounding, overflow);
    if (outside != nullptr) *outside = rounded.outside;
    return rounded.bits;
}

double valueOf(Number number, uint64_t bits) { return decodeDouble(number, bits); }
uint64_t bitsOf(Number number, double value) { return encodeDouble(number, value); }

ConversionRule conversionRule(bool saturate, Rounding rounding) {
    ConversionRule rule;
    rule.rounding = rounding;
    if (!saturate) return rule;
    rule.toFloat = rule.fromInteger = Overflow::saturate;
    rule.integerDomain = false;
    return rule;
}

ConversionRule inputRule() {
    ConversionRule rule = conversionRule(true);
    rule.toInteger = Rounding::nearestEven;
    rule.toFloat = Overflow::special;
    return rule;
}

Conversion::Conversion(Number from, Number to, const ConversionRule& rule)
    : number_(from), toNumber_(to), from_(format(from)), to_(format(to)), rule_(rule) {
    const auto isNative = [](Number n) {
        return n == Number::f16 || n == Number::f32 || n == Number::f64;
    };
    const bool wraps = from_.integer() && to_.integer() && rule.fromInteger == Overflow::wrap;
    if (from == to || wraps) {
        way_ = Way::lowBits;
    } else if ((isNative(from) || (from_.integer() && from_.bits < 64)) && isNative(to) &&
               rule.rounding == Rounding::nearestEven && rule.toFloat == Overflow::special &&
               !rule.flushOperand && !rule.flushResult) {
        way_ = Way::processor;
    }
}

Converted Conversion::exactly(uint64_t bits) const {
    if (rule_.flushOperand) bits = flushDenormal(number_, bits);
    Converted result = roundedOnce(bits);
    if (rule_.flushResult) result.bits = flushDenormal(toNumber_, result.bits);
    return result;
}

Converted Conversion::roundedOnce(uint64_t bits) const {
    // SPV_KHR_bfloat16, "Conversion Instructions"
    const bool isBrief = number_ == Number::bf16 || toNumber_ == Number::bf16;
    if (isBrief && number_ != Number::f32 && toNumber_ != Number::f32) {
        ConversionRule rule = rule_;
        rule.flushOperand = rule.flushResult = false;
        const Converted single = convert(number_, Number::f32, bits, rule);
        return convert(Number::f32, toNumber_, single.bits, rule);
    }
    const Exact value = decode(number_, bits);
    if (to_.floating()) return {encode(toNumber_, value, rule_.rounding, rule_.toFloat)};
    if (!from_.floating()) return {encode(toNumber_, value, rule_.toInteger, rule_.fromInteger)};
    bool outside;
    const uint64_t result = encode(toNumber_, value, rule_.toInteger, rule_.fromFloat, &outside);
    return {result, !outside || !rule_.integerDomain};
}

void ExactSum::addProduct(const Exact& a, const Exact& b) {
    const bool negative = a.negative != b.negative;
    positiveAddend_ |= !negative;
    if (a.kind != Kind::finite || b.kind != Kind::finite) {
        const bool invalid = a.kind == Kind::nan || b.kind == Kind::nan || a.zero() || b.zero();
        nan_ |= invalid;
        (negative ? negativeInfinity_ : positiveInfinity_) |= !invalid;
        return;
    }
    const auto bit = uint32_t(a.exponent + b.exponent - kLowest);
    const auto add = [&](size_t digit, uint32_t part) {
        digits_[digit] += negative ? -int64_t(part) : int64_t(part);
    };
    UnsignedWide product = UnsignedWide(a.significand) * b.significand;
    size_t digit = bit / 32;
    add(digit, uint32_t(product) << bit % 32);
    product >>= 32 - bit % 32;
    for (; product != 0; product >>= 32) add(++digit, uint32_t(product));
    constexpr uint32_t kCarryAfter = 1u << 29;  // additions to a digit before it may overflow
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
    if (nan_ || (positiveInfinity_ && negativeInfinity_)) return {Kind::nan};
    if (positiveInfinity_ || negativeInfinity_) return {Kind::infinity, negativeInfinity_};
    ExactSum sum = *this;
    sum.carry();
    const bool negative = sum.digits_[kDigits - 1] < 0;
    if (negative) {
        for (int64_t& digit : sum.digits_) digit = -digit;
        sum.carry();
    }
    size_t top = kDigits;
    while (top > 0 && sum.digits_[top - 1] == 0) --top;
    if (top == 0) return {Kind::finite, !positiveAddend_};
    // Three digits contain 64 bits from the highest bit on.
    UnsignedWide bits = 0;
    for (size_t i = 1; i <= 3; ++i)
        bits = bits << 32 | (top >= i ? uint64_t(sum.digits_[top - i]) : 0);
    const auto rest = uint32_t(std::bit_width(uint64_t(bits >> 64)));  // 1 to 32
    Exact value{Kind::finite, negative, false, kLowest + 32 * (int32_t(top) - 3) + int32_t(rest),
                uint64_t(bits >> rest)};
    value.more = (uint64_t(bits) & lowBits(rest)) != 0;
    for (size_t i = 0; i + 3 < top; ++i) value.more |= sum.digits_[i] != 0;
    return value;
}

}  // namespace coopvk::reference::numbers
