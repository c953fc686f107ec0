// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numbers/exact.hpp"

namespace coopvk::reference::numbers {

// How a conversion treats numbers that the result's format cannot represent.
struct ConversionRule {
    Rounding rounding = Rounding::nearestEven;  // of floating-point results
    Rounding toInteger = Rounding::towardZero;  // of integer results of floating-point numbers
    Overflow toFloat = Overflow::special;
    Overflow fromInteger = Overflow::wrap;    // integer results of integers
    Overflow fromFloat = Overflow::saturate;  // integer results of floating-point numbers
    bool integerDomain = true;  // such results are undefined if the number is out of range
};

struct Converted {
    uint64_t bits = 0;
    bool defined = true;
};

// SPIR-V, "Conversion Instructions": OpConvertFToU to OpFConvert, with SPV_KHR_bfloat16
// (conversions from and to bfloat16 go through binary32) and SPV_EXT_float8 (`saturate`: the
// decoration SaturatedToLargestFloat8NormalConversionEXT, or SaturatedConversion). OpSConvert and
// OpUConvert: the signedness of `from` says how its bits are extended.
ConversionRule conversionRule(bool saturate, Rounding rounding = Rounding::nearestEven);

// SPV_NV_cooperative_vector, OpCooperativeVectorMatrixMulAddNV, "Input is converted": integers
// saturate, floating-point numbers become integers by rounding to nearest even with saturation.
ConversionRule inputRule();

Converted convert(Number from, Number to, uint64_t bits, const ConversionRule& rule);

}  // namespace coopvk::reference::numbers
