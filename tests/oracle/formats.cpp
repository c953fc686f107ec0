// SPDX-License-Identifier: Apache-2.0
#include "formats.hpp"

#include <algorithm>
#include <format>

namespace coopvk::oracle {

constexpr std::string_view kMicroscaling = "SPV_EXT_ocp_microscaling_types";

// name, kind, bits, precision, bias, largest exponent, type, capability, extension
const Format kF16 = {"f16", Kind::kIeee, 16, 11, 15, 15, "OpTypeFloat 16", "Float16", ""};
const Format kF32 = {"f32", Kind::kIeee, 32, 24, 127, 127, "OpTypeFloat 32", "", ""};
const Format kF64 = {"f64", Kind::kIeee, 64, 53, 1023, 1023, "OpTypeFloat 64", "Float64", ""};
const Format kBf16 = {"bf16",
                      Kind::kIeee,
                      16,
                      8,
                      127,
                      127,
                      "OpTypeFloat 16 BFloat16KHR",
                      "BFloat16TypeKHR",
                      "SPV_KHR_bfloat16"};
const Format kE4m3 = {"e4m3",      Kind::kOneNan,   8, 4, 7, 8, "OpTypeFloat 8 Float8E4M3EXT",
                      "Float8EXT", "SPV_EXT_float8"};
const Format kE5m2 = {"e5m2",      Kind::kIeee,     8, 3, 15, 15, "OpTypeFloat 8 Float8E5M2EXT",
                      "Float8EXT", "SPV_EXT_float8"};
const Format kE2m1 = {"e2m1",      Kind::kFinite, 4, 2, 1, 2, "OpTypeFloat 4 Float4E2M1EXT",
                      "Float4EXT", kMicroscaling};
const Format kE2m3 = {"e2m3",      Kind::kFinite, 6, 4, 1, 2, "OpTypeFloat 6 Float6E2M3EXT",
                      "Float6EXT", kMicroscaling};
const Format kE3m2 = {"e3m2",      Kind::kFinite, 6, 3, 3, 4, "OpTypeFloat 6 Float6E3M2EXT",
                      "Float6EXT", kMicroscaling};
const Format kE8m0 = {"e8m0",
                      Kind::kExponent,
                      8,
                      1,
                      127,
                      127,
                      "OpTypeFloat 8 Float8UnsignedE8M0EXT",
                      "Float8UnsignedE8M0EXT",
                      kMicroscaling};
const Format kMxInt8 = {"mxint8",    Kind::kFraction, 8, 7, 0, 0, "OpTypeFloat 8 MXInt8EXT",
                        "MXInt8EXT", kMicroscaling};
const Format kS4 = {
    "s4", Kind::kSigned, 4, 3, 0, 0, "OpTypeInt 4 1", "Int4TypeINTEL", "SPV_INTEL_int4"};
const Format kU4 = {
    "u4", Kind::kUnsigned, 4, 4, 0, 0, "OpTypeInt 4 0", "Int4TypeINTEL", "SPV_INTEL_int4"};
const Format kS8 = {"s8", Kind::kSigned, 8, 7, 0, 0, "OpTypeInt 8 1", "Int8", ""};
const Format kU8 = {"u8", Kind::kUnsigned, 8, 8, 0, 0, "OpTypeInt 8 0", "Int8", ""};
const Format kS16 = {"s16", Kind::kSigned, 16, 15, 0, 0, "OpTypeInt 16 1", "Int16", ""};
const Format kU16 = {"u16", Kind::kUnsigned, 16, 16, 0, 0, "OpTypeInt 16 0", "Int16", ""};
const Format kS32 = {"s32", Kind::kSigned, 32, 31, 0, 0, "OpTypeInt 32 1", "", ""};
const Format kU32 = {"u32", Kind::kUnsigned, 32, 32, 0, 0, "OpTypeInt 32 0", "", ""};
const Format kS64 = {"s64", Kind::kSigned, 64, 63, 0, 0, "OpTypeInt 64 1", "Int64", ""};
const Format kU64 = {"u64", Kind::kUnsigned, 64, 64, 0, 0, "OpTypeInt 64 0", "Int64", ""};

namespace {

// Exponent of the smallest normal number.
int smallestOf(const Format& f) { return f.kind == Kind::kExponent ? -127 : 1 - f.bias; }

Real integerValue(const Format& f, uint64_t bits) {
    if (f.kind == Kind::kUnsigned) return Real::natural(bits);
    const int unused = 64 - f.bits;
    const Real value = Real::integer(int64_t(bits << unused) >> unused);
    return f.kind == Kind::kFraction ? value.scaled(-6) : value;
}

bool isNanPattern(const Format& f, uint64_t exponent, uint64_t mantissa) {
    const int mantissaBits = f.precision - 1;
    const uint64_t allOnes = (uint64_t{1} << (f.bits - 1 - mantissaBits)) - 1;
    if (exponent != allOnes) return false;
    if (f.kind == Kind::kOneNan) return mantissa == (uint64_t{1} << mantissaBits) - 1;
    return f.kind == Kind::kIeee && mantissa != 0;
}

Real beyond(const Format& f, const Real& value, Direction direction, Overflow overflow) {
    const bool isNegative = value.isNegative();
    const Real most = isNegative ? -f.largest() : f.largest();
    if (overflow == Overflow::kSaturate || f.kind == Kind::kFinite) return most;
    const bool goesInward = direction == Direction::kZero ||
                            direction == (isNegative ? Direction::kUp : Direction::kDown);
    if (goesInward && value.isFinite()) return most;
    return f.kind == Kind::kIeee ? Real::infinity(isNegative) : Real::nan();
}

Real roundInteger(const Format& f, const Real& value, Direction direction) {
    const int fraction = f.kind == Kind::kFraction ? 6 : 0;
    const Real whole = value.isFinite() ? value.scaled(fraction).whole(direction) : value;
    const Real high = Real(1).scaled(f.precision) - Real(1);
    const Real low = f.kind == Kind::kUnsigned ? Real(0) : -Real(1).scaled(f.precision);
    const Real inside = whole < low ? low : high < whole ? high : whole;
    return inside.scaled(-fraction);
}

}  // namespace

Real Format::largest() const {
    // All bits of the mantissa set; of kOneNan all but the last, for that is NaN.
    const int lost = kind == Kind::kOneNan ? 2 : 1;
    const Real ones = Real(2) - Real(1).scaled(lost - precision);
    return ones.scaled(most);
}

Real valueOf(const Format& f, uint64_t bits) {
    bits &= f.mask();
    if (!f.isFloat()) return integerValue(f, bits);
    if (f.kind == Kind::kExponent)
        return bits == 255 ? Real::nan() : Real(1).scaled(long(bits) - 127);
    const int mantissaBits = f.precision - 1;
    const bool isNegative = (bits >> (f.bits - 1)) != 0;
    const uint64_t mantissa = bits & ((uint64_t{1} << mantissaBits) - 1);
    const uint64_t exponent = (bits & (f.mask() >> 1)) >> mantissaBits;
    if (isNanPattern(f, exponent, mantissa)) return Real::nan();
    if (f.kind == Kind::kIeee && exponent == (f.mask() >> 1) >> mantissaBits)
        return Real::infinity(isNegative);
    const uint64_t significand = exponent == 0 ? mantissa : mantissa | uint64_t{1} << mantissaBits;
    const long scale = std::max<long>(long(exponent), 1) - f.bias - mantissaBits;
    const Real magnitude = Real::natural(significand).scaled(scale);
    return isNegative ? -magnitude : magnitude;
}

Real unitAt(const Format& f, const Real& value) {
    if (!f.isFloat()) return Real(1).scaled(f.kind == Kind::kFraction ? -6 : 0);
    const long exponent =
        value.isZero() ? smallestOf(f) : std::max<long>(value.exponent(), smallestOf(f));
    return Real(1).scaled(exponent - f.precision + 1);
}

Real round(const Format& f, const Real& value, Direction direction, Overflow overflow) {
    if (value.isNan()) return value;
    if (!f.isFloat()) return roundInteger(f, value, direction);
    if (value.isInfinite()) return beyond(f, value, direction, overflow);
    if (value.isZero()) return value;
    const long unit = unitAt(f, value).exponent();
    const Real rounded = value.scaled(-unit).whole(direction).scaled(unit);
    return f.largest() < rounded.magnitudeOf() ? beyond(f, value, direction, overflow) : rounded;
}

uint64_t bitsOf(const Format& f, const Real& value) {
    if (f.isInteger() || f.kind == Kind::kFraction) {
        const uint64_t magnitude = value.scaled(f.kind == Kind::kFraction ? 6 : 0).magnitude();
        return (value.isNegative() ? 0 - magnitude : magnitude) & f.mask();
    }
    if (f.kind == Kind::kExponent) return value.isNan() ? 255 : uint64_t(value.exponent() + 127);
    const int mantissaBits = f.precision - 1;
    const uint64_t sign = value.isNegative() && !value.isNan() ? uint64_t{1} << (f.bits - 1) : 0;
    const uint64_t ones = f.mask() >> 1;
    if (value.isNan()) return ones;
    if (value.isInfinite()) return sign | ones >> mantissaBits << mantissaBits;
    if (value.isZero()) return sign;
    const long unit = unitAt(f, value).exponent();
    const uint64_t significand = value.scaled(-unit).magnitude();
    const bool isNormal = significand >> mantissaBits != 0;
    const auto exponent = uint64_t(isNormal ? unit + mantissaBits + f.bias : 0);
    return sign | exponent << mantissaBits | (significand & ((uint64_t{1} << mantissaBits) - 1));
}

bool areSame(const Real& a, const Real& b) {
    if (a.isNan() || b.isNan()) return a.isNan() && b.isNan();
    return a == b && a.isNegative() == b.isNegative();
}

std::string textOf(const Real& value) {
    return std::format("{} ({:a})", value.toDouble(), value.toDouble());
}

}  // namespace coopvk::oracle
