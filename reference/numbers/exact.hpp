// SPDX-License-Identifier: Apache-2.0
//
// Number formats; numbers of any format without rounding, and from one format to another.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace coopvk::reference::numbers {

// The number formats of Vulkan's component types and SPIR-V's scalar types.
enum class Number : uint8_t {
    f16,
    f32,
    f64,
    bf16,
    e4m3,
    e5m2,
    e2m1,
    e2m3,
    e3m2,
    e8m0,
    mxint8,
    s4,
    s8,
    s16,
    s32,
    s64,
    u4,
    u8,
    u16,
    u32,
    u64,
};

enum class Family : uint8_t { floating, signedFixed, unsignedFixed };

// Which bit patterns of a floating-point format are no numbers.
enum class Specials : uint8_t {
    ieee,     // the largest exponent: infinities and NaN (IEEE 754, 3.4)
    allOnes,  // exponent and mantissa all ones: NaN; no infinities ("FP8 Formats for Deep
              // Learning", 3.1)
    none,     // every pattern is a number (OCP Microscaling Formats 1.0, 5.3)
};

inline constexpr uint32_t kNoValue = 0xFFFFFFFF;

constexpr uint64_t lowBits(uint32_t count) {
    return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

struct Format {
    std::string_view name;
    uint32_t vulkan;    // VkComponentTypeKHR, or kNoValue
    uint32_t encoding;  // spv::FPEncoding, or kNoValue for IEEE 754 and integers
    Family family;
    uint8_t bits;          // of the whole pattern, 4 to 64
    uint8_t exponentBits;  // 0 for fixed point
    uint8_t mantissaBits;  // without the hidden bit; for fixed point the bits of the fraction
    int16_t bias;          // of the exponent
    Specials specials;

    bool floating() const { return family == Family::floating; }
    bool isSigned() const { return family == Family::signedFixed; }
    // All formats have a sign but unsigned integers and e8m0, which is an exponent alone.
    bool hasSign() const { return floating() ? bits > exponentBits + mantissaBits : isSigned(); }
    bool integer() const { return !floating() && mantissaBits == 0; }
    uint64_t mask() const { return lowBits(bits); }
};

// In the order of Number. Encodings: SPV_KHR_bfloat16, SPV_EXT_float8 and
// SPV_EXT_ocp_microscaling_types, "FP Encoding".
inline constexpr Format kFormats[] = {
    // name, Vulkan, encoding, family, bits, exponent, mantissa, bias, specials
    {"f16", 0, kNoValue, Family::floating, 16, 5, 10, 15, Specials::ieee},
    {"f32", 1, kNoValue, Family::floating, 32, 8, 23, 127, Specials::ieee},
    {"f64", 2, kNoValue, Family::floating, 64, 11, 52, 1023, Specials::ieee},
    {"bf16", 1000141000, 0, Family::floating, 16, 8, 7, 127, Specials::ieee},
    {"e4m3", 1000491002, 4214, Family::floating, 8, 4, 3, 7, Specials::allOnes},
    {"e5m2", 1000491003, 4215, Family::floating, 8, 5, 2, 15, Specials::ieee},
    {"e2m1", 1000672002, 4225, Family::floating, 4, 2, 1, 1, Specials::none},
    {"e2m3", 1000672000, 4223, Family::floating, 6, 2, 3, 1, Specials::none},
    {"e3m2", 1000672001, 4224, Family::floating, 6, 3, 2, 3, Specials::none},
    {"e8m0", 1000672003, 4226, Family::floating, 8, 8, 0, 127, Specials::allOnes},
    {"mxint8", 1000672004, 4227, Family::signedFixed, 8, 0, 6, 0, Specials::none},
    {"s4", kNoValue, kNoValue, Family::signedFixed, 4, 0, 0, 0, Specials::none},
    {"s8", 3, kNoValue, Family::signedFixed, 8, 0, 0, 0, Specials::none},
    {"s16", 4, kNoValue, Family::signedFixed, 16, 0, 0, 0, Specials::none},
    {"s32", 5, kNoValue, Family::signedFixed, 32, 0, 0, 0, Specials::none},
    {"s64", 6, kNoValue, Family::signedFixed, 64, 0, 0, 0, Specials::none},
    {"u4", kNoValue, kNoValue, Family::unsignedFixed, 4, 0, 0, 0, Specials::none},
    {"u8", 7, kNoValue, Family::unsignedFixed, 8, 0, 0, 0, Specials::none},
    {"u16", 8, kNoValue, Family::unsignedFixed, 16, 0, 0, 0, Specials::none},
    {"u32", 9, kNoValue, Family::unsignedFixed, 32, 0, 0, 0, Specials::none},
    {"u64", 10, kNoValue, Family::unsignedFixed, 64, 0, 0, 0, Specials::none},
};

inline const Format& format(Number number) { return kFormats[size_t(number)]; }

template <typename Test>
inline std::optional<Number> findFormat(Test test) {
    const auto* found = std::ranges::find_if(kFormats, test);
    return found != std::end(kFormats) ? std::optional(Number(found - kFormats)) : std::nullopt;
}

// VK_COMPONENT_TYPE_SINT8_PACKED_NV and UINT8_PACKED_NV: formats of one element.
inline constexpr uint32_t kSigned8Packed = 1000491000, kUnsigned8Packed = 1000491001;

// The format of VkComponentTypeKHR `type`.
inline std::optional<Number> byVulkanType(uint32_t type) {
    if (type == kSigned8Packed) return Number::s8;
    if (type == kUnsigned8Packed) return Number::u8;
    return findFormat([&](const Format& f) { return f.vulkan == type && type != kNoValue; });
}

// OpTypeFloat with `bits` and FP encoding `encoding` (kNoValue without). MXINT8 is fixed point
// here, and a type of OpTypeFloat there.
inline std::optional<Number> floatOf(uint32_t bits, uint32_t encoding) {
    return findFormat([&](const Format& f) {
        return (f.floating() || f.encoding != kNoValue) && f.bits == bits && f.encoding == encoding;
    });
}

// OpTypeInt.
inline std::optional<Number> integerOf(uint32_t bits, bool isSigned) {
    return findFormat(
        [&](const Format& f) { return f.integer() && f.bits == bits && f.isSigned() == isSigned; });
}

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

// The formats of most shaders by the processor's conversions, which are exact or round to nearest
// even; all others by decode and encode.
inline double decodeDouble(Number number, uint64_t bits) {
    switch (number) {
        case Number::f16:
            return double(std::bit_cast<_Float16>(uint16_t(bits)));
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
    return toDouble(decode(number, bits));
}

inline uint64_t encodeDouble(Number number, double value,
                             Rounding rounding = Rounding::nearestEven) {
    if (rounding == Rounding::nearestEven) {
        if (number == Number::f16) return std::bit_cast<uint16_t>(_Float16(value));
        if (number == Number::f32) return std::bit_cast<uint32_t>(float(value));
        if (number == Number::f64) return std::bit_cast<uint64_t>(value);
    }
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
    Number to() const { return toNumber_; }
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
