// SPDX-License-Identifier: Apache-2.0
//
// Numbers of any format without rounding, and from one format to another.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "coopvk_reference/formats.hpp"

namespace coopvk::reference::numbers {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

enum class Kind : uint8_t { finite, infinity, nan };

// A number of any format, without rounding: +-significand * 2^exponent. Zero has a sign.
struct Exact {
    Kind kind = Kind::finite;
    bool negative = false;
    // The magnitude is greater than significand * 2^exponent, by less than 2^exponent. Then bit 63
    // of the significand is set.
    bool more = false;
    int32_t exponent = 0;
    uint64_t significand = 0;

    bool zero() const { return kind == Kind::finite && significand == 0 && !more; }
};

enum class Rounding : uint8_t { nearestEven, towardZero, upward, downward };

// What numbers outside of the range of a format become.
enum class Overflow : uint8_t {
    special,   // infinity, or NaN where the format has only that; the largest number if it has
               // neither
    saturate,  // the number of the format that is closest, also for infinities
    wrap,      // integers: the low-order bits of the number in two's complement
};

Exact decode(Number number, uint64_t bits);

// Correctly rounded. A NaN becomes zero in formats without NaN. Formats that cannot represent zero
// or a sign (e8m0) get their smallest number for zero and NaN for negative numbers. `outside`: the
// number, rounded, is not in the format's range, or is a NaN and the format is of fixed point.
uint64_t encode(Number number, const Exact& value, Rounding rounding = Rounding::nearestEven,
                Overflow overflow = Overflow::special, bool* outside = nullptr);

inline Exact fromDouble(double value) {
    return decode(Number::f64, std::bit_cast<uint64_t>(value));
}
inline double toDouble(const Exact& value) {  // rounded to nearest even
    return std::bit_cast<double>(encode(Number::f64, value));
}

// The bits of an integer, extended from its format to 64 bits.
inline uint64_t extend(const Format& format, uint64_t bits) {
    const uint32_t unused = 64u - format.bits;
    bits <<= unused;
    return format.isSigned() ? uint64_t(int64_t(bits) >> unused) : bits >> unused;
}

// Zero with the same sign in place of a denormal number.
constexpr uint64_t flushDenormal(Number number, uint64_t bits) {
    const Format& f = format(number);
    const uint64_t exponent = lowBits(f.exponentBits) << f.mantissaBits;
    return (bits & exponent) != 0 ? bits : bits & uint64_t{f.hasSign()} << (f.bits - 1);
}

constexpr uint32_t kMantissaOfDouble = 52;
constexpr int64_t kBiasOfDouble = 1023;

// Most numbers are normal ones in both formats: exponent and mantissa move. The formats of most
// shaders by the processor's conversions, which are exact or, as threads are set, round to nearest
// even; all others by decode and encode.
inline double decodeDouble(Number number, uint64_t bits) {
    switch (number) {
        case Number::bf16:
            return double(std::bit_cast<float>(uint32_t(bits) << 16));
        case Number::f32:
            return double(std::bit_cast<float>(uint32_t(bits)));
        case Number::f64:
            return std::bit_cast<double>(bits);
        default:
            break;
    }
    const Format& f = format(number);
    if (f.integer() && f.bits < 64) return double(int64_t(extend(f, bits)));
    const uint64_t codes = lowBits(f.exponentBits), code = bits >> f.mantissaBits & codes;
    if (f.floating() && f.hasSign() && code != 0 && code != codes) {
        const auto exponent = uint64_t(int64_t(code) - f.bias + kBiasOfDouble);
        const uint64_t mantissa = (bits & lowBits(f.mantissaBits))
                                  << (kMantissaOfDouble - f.mantissaBits);
        return std::bit_cast<double>((bits >> (f.bits - 1) & 1) << 63 |
                                     exponent << kMantissaOfDouble | mantissa);
    }
    if (number == Number::f16) return double(std::bit_cast<_Float16>(uint16_t(bits)));
    return toDouble(decode(number, bits));
}

inline uint64_t encodeDouble(Number number, double value,
                             Rounding rounding = Rounding::nearestEven) {
    const bool isNearest = rounding == Rounding::nearestEven;
    if (isNearest && number == Number::f32) return std::bit_cast<uint32_t>(float(value));
    const auto bits = std::bit_cast<uint64_t>(value);
    if (number == Number::f64) return bits;
    const Format& f = format(number);
    const uint32_t lost = kMantissaOfDouble - f.mantissaBits;
    const int64_t code = int64_t(bits >> kMantissaOfDouble & lowBits(11)) - kBiasOfDouble + f.bias;
    if (f.floating() && f.hasSign() && code > 0 && code < int64_t(lowBits(f.exponentBits)) &&
        (bits & lowBits(lost)) == 0)
        return bits >> 63 << (f.bits - 1) | uint64_t(code) << f.mantissaBits |
               (bits & lowBits(kMantissaOfDouble)) >> lost;
    if (isNearest && number == Number::f16) return std::bit_cast<uint16_t>(_Float16(value));
    return encode(number, fromDouble(value), rounding);
}

// How a conversion treats numbers that the result's format cannot represent.
struct ConversionRule {
    Rounding rounding = Rounding::nearestEven;  // of floating-point results
    Rounding toInteger = Rounding::towardZero;  // of integer results of floating-point numbers
    Overflow toFloat = Overflow::special;
    Overflow fromInteger = Overflow::wrap;    // integer results of integers
    Overflow fromFloat = Overflow::saturate;  // integer results of floating-point numbers
    bool integerDomain = true;  // such results are undefined if the number is out of range
    bool flushOperand = false, flushResult = false;  // denormal numbers
};

// SPIR-V, "Conversion Instructions": OpConvertFToU to OpFConvert, with SPV_KHR_bfloat16
// (conversions from and to bfloat16 go through binary32) and SPV_EXT_float8 (`saturate`: the
// decoration SaturatedToLargestFloat8NormalConversionEXT, or SaturatedConversion). OpSConvert and
// OpUConvert: the signedness of `from` says how its bits are extended.
ConversionRule conversionRule(bool saturate, Rounding rounding = Rounding::nearestEven);

// SPV_NV_cooperative_vector, OpCooperativeVectorMatrixMulAddNV, "Input is converted": integers
// saturate, floating-point numbers become integers by rounding to nearest even with saturation.
ConversionRule inputRule();

struct Converted {
    uint64_t bits = 0;
    bool defined = true;
};
class Conversion {
 public:
    Conversion(Number from, Number to, const ConversionRule& rule);
    Number from() const { return number_; }
    Number to() const { return toNumber_; }
    const ConversionRule& rule() const { return rule_; }
    bool saturates() const { return rule_.toFloat == Overflow::saturate; }
    Converted operator()(uint64_t bits) const {
        if (way_ == Way::lowBits) return {extend(from_, bits) & to_.mask()};
        if (way_ == Way::processor) return {encodeDouble(toNumber_, decodeDouble(number_, bits))};
        return exactly(bits);
    }

 private:
    // Integers, and numbers of the same format, keep their low bits; the processor rounds once; all
    // else is exact.
    enum class Way : uint8_t { lowBits, processor, exact };
    Converted exactly(uint64_t bits) const;
    Converted roundedOnce(uint64_t bits) const;

    Number number_, toNumber_;
    const Format &from_, &to_;
    ConversionRule rule_;
    Way way_ = Way::exact;
};
inline Converted convert(Number from, Number to, uint64_t bits, const ConversionRule& rule) {
    return Conversion(from, to, rule)(bits);
}

// A sum of products of floating-point numbers, without rounding: a number of fixed point that has a
// bit for each power of 2 that a product of two f64 may contain, and room for 2^30 addends.
class ExactSum {
 public:
    void add(const Exact& value) { addProduct(value, {Kind::finite, false, false, 0, 1}); }
    // Factors must be exact (`more` is false) and of formats with at most 53 significant bits.
    void addProduct(const Exact& a, const Exact& b);
    Exact value() const;

 private:
    void carry();

    static constexpr int32_t kLowest = -2176;  // exponent of the least bit: a multiple of 32
    static constexpr size_t kDigits = 140;     // of 32 bits: up to 2^2303
    std::array<int64_t, kDigits> digits_{};    // carries are outstanding
    uint32_t outstanding_ = 0;
    bool positiveInfinity_ = false, negativeInfinity_ = false, nan_ = false;
    bool positiveAddend_ = false;  // for the sign of zero: IEEE 754, 6.3
};

}  // namespace coopvk::reference::numbers
