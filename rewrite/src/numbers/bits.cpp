// SPDX-License-Identifier: Apache-2.0
//
// Code on the bits of floats.
#include <cmath>

#include "ir/arithmetic_decorations.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMantissa32 = 23, kBias = 127, kInfinity = 0x7F800000;

// Numbers with the exponent of f32: bfloat16 is its upper half. Without a mantissa, the smallest
// number is a denormal of f32, and NaN infinity's exponent: both have the highest bit of the
// mantissa.
Id sameExponent(Emitter& emit, const Types32& w, const Number& number, const U32& word) {
    if (number.mantissaBits() != 0) return emit.bitcast(w.f32, word << (32 - number.bits));
    const U32 exponent = word << kMantissa32;
    const Bool isNumber = word + ~0u < magnitudeMask(number) - 1;
    const U32 other = exponent | (1u << (kMantissa32 - 1));
    return emit.bitcast(w.f32, select(isNumber, exponent, other));
}

// Integers of two's complement, and a power of two.
Id fraction(Emitter& emit, Types32& w, const Number& number, const U32& word) {
    const uint32_t components = w.types.components(w.u32);
    const Id s32 = w.types.vectorType(w.types.intType(32, true), components);
    const Id high = emit.bitcast(s32, word << (32 - number.bits));
    const Id f32 = emit.op(OpConvertSToF, w.f32, {high});
    const int scale = static_cast<int>(number.bits) - 32 - static_cast<int>(number.fields.bias);
    return emit.op(OpFMul, w.f32, {f32, w.constantF32(std::ldexp(1.0, scale))});
}

}  // namespace

Id bitsToF32(Emitter& emit, const Number& number, Id bits, uint32_t components) {
    Types32 w(emit.types(), components);
    const U32 word(emit, emit.op(OpUConvert, w.u32, {bits}));
    const uint32_t mantissa = number.mantissaBits(), bias = number.fields.bias;
    if (number.fields.exponentBits == 8) return sameExponent(emit, w, number, word);
    if (number.fields.exponentBits == 0) return fraction(emit, w, number, word);
    const U32 magnitude = word & magnitudeMask(number);
    const U32 sign = (word & (magnitudeMask(number) + 1)) << (32 - number.bits);
    const U32 wide = magnitude << (kMantissa32 - mantissa);
    const U32 normal = wide + ((kBias - bias) << kMantissa32);
    // Denormals are so many units of the smallest one.
    const Id units = emit.op(OpConvertUToF, w.f32, {magnitude});
    const Id unit = w.constantF32(std::ldexp(1.0, 1 - static_cast<int>(bias + mantissa)));
    const Id denormal = emit.op(OpFMul, w.f32, {units, unit});
    const U32 small(emit, emit.bitcast(w.u32, denormal));
    U32 result = select(magnitude < (1u << mantissa), small, normal);
    if (number.fields.specials == Number::Specials::kNone) {
        return emit.bitcast(w.f32, result | sign);
    }
    // Infinity and NaN have the largest exponent of f32, too.
    const uint32_t largest = (1u << number.fields.exponentBits) - 1;
    const U32 special = wide + ((255 - largest) << kMantissa32);
    result = select(magnitude > overflowOf(number) - 1, special, result);
    return emit.bitcast(w.f32, result | sign);
}

namespace {

// Magnitudes of f32, rounded to numbers below the smallest normal one.
U32 roundedDenormal(const Number& number, const U32& magnitude) {
    const uint32_t smallestNormal = kBias - number.fields.bias + 1;  // its exponent in f32
    constexpr uint32_t kImplicitOne = 1u << kMantissa32;
    const U32 significand = (magnitude & (kImplicitOne - 1)) | kImplicitOne;
    const U32 exponent = magnitude >> kMantissa32;
    const U32 most = magnitude.same(kMantissa32 - number.mantissaBits() + smallestNormal);
    // Shifted by more than this, all is zero.
    const U32 shift = min(most - exponent, kMantissa32 + 2);
    const U32 one = magnitude.same(1);
    const U32 half = one << (shift - one);
    return rounded(significand, half - one, shift);
}

}  // namespace

Id f32ToBits(Emitter& emit, const Number& number, Id f32, uint32_t components, Rounding rounding) {
    const bool saturates = rounding == Rounding::kToLargest;
    const Types32 w(emit.types(), components);
    const U32 word(emit, emit.bitcast(w.u32, f32));
    const U32 magnitude = word & 0x7FFFFFFF;
    const U32 sign = (word & 0x80000000) >> (32 - number.bits);
    const uint32_t mantissa = number.mantissaBits(), lost = kMantissa32 - mantissa;
    U32 result =
        rounding == Rounding::kTowardZero
            ? magnitude >> lost
            : rounded(magnitude, magnitude.same((1u << (lost - 1)) - 1), magnitude.same(lost));
    if (number.fields.exponentBits < 8) {
        const uint32_t smallestNormal = kBias - number.fields.bias + 1;
        result = result + (0u - ((smallestNormal - 1) << mantissa));
        const Bool isDenormal = magnitude < (smallestNormal << kMantissa32);
        result = select(isDenormal, roundedDenormal(number, magnitude), result);
        result = min(result, overflowOf(number) - (saturates ? 1 : 0));
    }
    result = select(magnitude > kInfinity, word.same(convertedNanOf(number)), result);
    return result | sign;
}

Id f64ToOddF32(Emitter& emit, Id f64) {
    constexpr uint32_t kMantissa64 = 20;  // in the upper word
    constexpr uint32_t kInfinity64 = 0x7FF00000, kRebias = (1023 - kBias) << kMantissa64;
    const Types32 w(emit.types(), 1);
    const Id words = emit.bitcast(emit.types().vectorType(w.u32, 2), f64);
    const U32 low(emit, emit.extract(w.u32, words, {0})),
        high(emit, emit.extract(w.u32, words, {1}));
    const U32 magnitude = high & 0x7FFFFFFF, sign = high & 0x80000000;
    const auto flag = [&](Bool condition) { return select(condition, low.same(1), low.same(0)); };
    const U32 rest = flag((low & 0x1FFFFFFF) > 0);
    const U32 moved = (magnitude + (0u - kRebias)) << (kMantissa32 - kMantissa64);
    U32 result = moved | low >> 29 | rest;
    result = select(magnitude < kRebias + (1u << kMantissa64), low.same(0), result);
    const U32 most = low.same(kInfinity);
    result = select(magnitude > kRebias + (255u << kMantissa64) - 1, most, result);
    // NaN: above infinity, also if only the lower word is.
    const Bool isBeyond = (magnitude | flag(low > 0)) > kInfinity64;
    result = select(isBeyond, low.same(kInfinity | 1u << (kMantissa32 - 1)), result);
    return emit.bitcast(w.f32, result | sign);
}

Id exponentToF64(Emitter& emit, const Number& number, Id bits, uint32_t components) {
    TypeTable& types = emit.types();
    const Types32 w(types, components);
    const Id scalar = types.floatType(64), f64 = types.vectorType(scalar, components);
    const Id wide = emit.op(OpFConvert, f64, {bitsToF32(emit, number, bits, components)});
    const U32 word(emit, emit.op(OpUConvert, w.u32, {bits}));
    const double smallest = std::ldexp(1.0, -static_cast<int>(number.fields.bias));
    const Id constant = types.constantSplat(f64, types.constantFloat(scalar, smallest));
    return emit.select((word < 1).id, constant, wide);
}

}  // namespace coopvk::rewrite
