// SPDX-License-Identifier: Apache-2.0
//
// Number formats, each from its own text: IEEE 754-2008 (table 3.5), SPV_KHR_bfloat16, "FP8 Formats
// for Deep Learning" (arXiv 2209.05433, table 1), OCP Microscaling Formats 1.0 (5.3 and 5.4),
// SPV_INTEL_int4.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "real.hpp"

namespace coopvk::oracle {

enum class Kind {
    kIeee,      // the largest exponent is for infinities and NaN
    kOneNan,    // all ones but the sign: NaN; no infinities
    kFinite,    // every pattern is a number
    kExponent,  // an exponent alone; all ones: NaN
    kFraction,  // an integer in units of 2^-6
    kSigned,
    kUnsigned,
};

struct Format {
    std::string_view name;
    Kind kind;
    int bits, precision;                           // significant bits, with the hidden one
    int bias, most;                                // of exponents; the largest number's
    std::string_view type, capability, extension;  // SPIR-V's

    bool isFloat() const { return kind < Kind::kFraction; }
    bool isInteger() const { return kind == Kind::kSigned || kind == Kind::kUnsigned; }
    bool isSigned() const { return kind == Kind::kSigned; }
    uint64_t mask() const { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
    Real largest() const;
    int words() const { return bits > 32 ? 2 : 1; }  // of 32 bits, that hold an element
};

extern const Format kF16, kF32, kF64, kBf16, kE4m3, kE5m2, kE2m1, kE2m3, kE3m2, kE8m0, kMxInt8;
extern const Format kS4, kS8, kS16, kS32, kS64, kU4, kU8, kU16, kU32, kU64;

Real valueOf(const Format& format, uint64_t bits);

enum class Overflow {
    kIeee,      // what the direction gives: infinity or the largest number; without infinities NaN
    kSaturate,  // the largest number with this sign
};

// A number of the format, an infinity or NaN. Integers must be in range, or saturate.
Real round(const Format& format, const Real& value, Direction direction = Direction::kNearest,
           Overflow overflow = Overflow::kIeee);
// Of a number that the format has. Of NaN: one of its patterns.
uint64_t bitsOf(const Format& format, const Real& value);
// The distance to the next number of the format, at a number; without an upper limit of exponents.
Real unitAt(const Format& format, const Real& value);

// Whether both are the same number, with its sign, or both NaN.
bool areSame(const Real& a, const Real& b);
std::string textOf(const Real& value);

}  // namespace coopvk::oracle
