// SPDX-License-Identifier: Apache-2.0
#include "numbers/exact.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::reference::numbers {
namespace {

constexpr uint64_t kOne = 1;

uint64_t lowBits(uint32_t count) { return count >= 64 ? ~uint64_t(0) : (kOne << count) - 1; }

// The bits of a floating-point format without the sign: the largest finite number, and all ones.
uint64_t allOnes(const Format& f) { return lowBits(f.exponentBits + f.mantissaBits); }

uint64_t largestFinite(const Format& f) {
    switch (f.specials) {
        case Specials::ieee:
            return (lowBits(f.exponentBits) << f.mantissaBits) - 1;
        case Specials::allOnes:
            return allOnes(f) - 1;
        case Specials::none:
            break;
    }
    return allOnes(f);
}

uint64_t infinityBits(const Format& f) { return lowBits(f.exponentBits) << f.mantissaBits; }

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

// A magnitude in units, rounded; `tooLarge` if it has more than 64 bits.
struct Units {
    uint64_t count = 0;
    bool tooLarge = false;
};

bool roundsUp(Rounding rounding, bool negative, bool odd, int comparedToHalf, bool inexact) {
    switch (rounding) {
        case Rounding::nearestEven:
            return comparedToHalf > 0 || (comparedToHalf == 0 && odd);
        case Rounding::towardZero:
            return false;
        case Rounding::upward:
            return inexact && !negative;
        case Rounding::downward:
            return inexact && negative;
    }
    return false;
}

// |value| / 2^unit, rounded.
Units unitsOf(const Exact& value, int32_t unit, Rounding rounding) {
    const int32_t shift = unit - value.exponent;
    if (value.significand == 0) return {};
    if (shift <= 0) {
        if (-shift > std::countl_zero(value.significand)) return {0, true};
        return {value.significand << -shift, false};
    }
    const uint64_t whole = shift >= 64 ? 0 : value.significand >> shift;
    const uint64_t rest = value.significand & lowBits(uint32_t(std::min(shift, 64)));
    int comparedToHalf = -1;
    if (shift <= 64) {
        const uint64_t half = kOne << (shift - 1);
        comparedToHalf = rest > half ? 1 : rest < half ? -1 : value.more ? 1 : 0;
    }
    const bool inexact = rest != 0 || value.more;
    const bool up = roundsUp(rounding, value.negative, whole & 1, comparedToHalf, inexact);
    return {whole + (up ? 1 : 0), false};  // shift > 0, so that the sum has at most 64 bits
}

struct Rounded {
    uint64_t bits = 0;  // without the sign
    bool outside = false;
};

Rounded roundFloat(const Format& f, const Exact& value, Rounding rounding) {
    if (value.significand == 0) return {0, f.mantissaBits == 0};
    const int32_t top = value.exponent + int32_t(std::bit_width(value.significand)) - 1;
    int32_t unit = std::max(top, smallestExponent(f)) - f.mantissaBits;
    uint64_t count = unitsOf(value, unit, rounding).count;
    if (count >> (f.mantissaBits + 1)) {
        count >>= 1;  // 2^(mantissaBits + 1), which is even
        ++unit;
    }
    if (f.mantissaBits && count < kOne << f.mantissaBits) return {count, false};
    if (count == 0) return {0, true};
    const int64_t exponent = int64_t(unit) + f.mantissaBits + f.bias;
    if (exponent > int64_t(lowBits(f.exponentBits))) return {0, true};
    const uint64_t bits = uint64_t(exponent) << f.mantissaBits | (count & lowBits(f.mantissaBits));
    return {bits, bits > largestFinite(f)};
}

uint64_t floatOutside(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    const bool small =
        value.kind == Kind::finite && (value.significand == 0 || value.exponent < -64);
    if (small) return 0;
    const bool inward = rounding == Rounding::towardZero ||
                        rounding == (value.negative ? Rounding::upward : Rounding::downward);
    // IEEE 754, 7.4: rounding inwards carries to the largest finite number. SPV_EXT_float8,
    // "Conversion Instructions", knows no such exception.
    const bool keepsFinite = inward && value.kind == Kind::finite && f.bits > 8;
    if (overflow == Overflow::saturate || keepsFinite || f.specials == Specials::none) {
        return largestFinite(f);
    }
    return f.specials == Specials::ieee ? infinityBits(f) : nanBits(f);
}

uint64_t encodeFloat(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    if (value.kind == Kind::nan) return nanBits(f) | signBit(f, value.negative);
    if (value.negative && !f.hasSign()) return nanBits(f);
    Rounded rounded{0, true};
    if (value.kind == Kind::finite) rounded = roundFloat(f, value, rounding);
    const uint64_t bits =
        rounded.outside ? floatOutside(f, value, rounding, overflow) : rounded.bits;
    return bits | signBit(f, value.negative);
}

uint64_t largestFixed(const Format& f, bool negative) {
    if (!f.isSigned()) return negative ? 0 : f.mask();
    return negative ? kOne << (f.bits - 1) : f.mask() >> 1;  // magnitudes
}

bool fixedOutside(const Format& f, const Exact& value, const Units& units) {
    return value.kind == Kind::infinity || units.tooLarge ||
           units.count > largestFixed(f, value.negative);
}

uint64_t encodeFixed(const Format& f, const Exact& value, Rounding rounding, Overflow overflow) {
    if (value.kind == Kind::nan) return 0;
    Units units = unitsOf(value, -int32_t(f.mantissaBits), rounding);
    if (overflow != Overflow::wrap && fixedOutside(f, value, units)) {
        units.count = largestFixed(f, value.negative);
    }
    return (value.negative ? ~units.count + 1 : units.count) & f.mask();
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
        return {infinite ? Kind::infinity : Kind::nan, negative, false, 0, 0};
    }
    const auto field = int32_t(magnitude >> f.mantissaBits);
    const uint64_t mantissa = magnitude & lowBits(f.mantissaBits);
    const bool normal = field != 0 || f.mantissaBits == 0;
    const int32_t exponent = normal ? field - f.bias : smallestExponent(f);
    return {Kind::finite, negative, false, exponent - f.mantissaBits,
            mantissa | (normal ? kOne << f.mantissaBits : 0)};
}

uint64_t encode(Number number, const Exact& value, Rounding rounding, Overflow overflow) {
    const Format& f = format(number);
    return f.floating() ? encodeFloat(f, value, rounding, overflow)
                        : encodeFixed(f, value, rounding, overflow);
}

bool representable(Number number, const Exact& value, Rounding rounding) {
    const Format& f = format(number);
    if (value.kind == Kind::nan) return f.floating() && f.specials != Specials::none;
    if (!f.floating()) {
        return !fixedOutside(f, value, unitsOf(value, -int32_t(f.mantissaBits), rounding));
    }
    if (value.kind == Kind::infinity) return f.specials == Specials::ieee;
    return (f.hasSign() || !value.negative) && !roundFloat(f, value, rounding).outside;
}

Exact fromDouble(double value) { return decode(Number::f64, std::bit_cast<uint64_t>(value)); }

double toDouble(const Exact& value) {
    return std::bit_cast<double>(encode(Number::f64, value, Rounding::nearestEven));
}

}  // namespace coopvk::reference::numbers
