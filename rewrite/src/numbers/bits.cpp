// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "lowering/number.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMantissa32 = 23, kBias = 127, kInfinity = 0x7F800000;

// Numbers with the exponent of f32: bfloat16 is its upper half. Without a mantissa, the smallest
// number is a denormal of f32, and NaN infinity's exponent: both have the highest bit of the
// mantissa.
Id sameExponent(Emitter& emit, Wide& w, const Number& number, Id word) {
    if (number.mantissaBits() != 0) return emit.bitcast(w.f32(), w.left(word, 32 - number.bits));
    const Id exponent = w.left(word, kMantissa32);
    const Id isNumber = w.isLess(w.plus(word, ~0u), magnitudeMask(number) - 1);
    const Id other = w.either(exponent, w.constant(1u << (kMantissa32 - 1)));
    return emit.bitcast(w.f32(), w.select(isNumber, exponent, other));
}

// Integers of two's complement, and a power of two.
Id fraction(Emitter& emit, Wide& w, const Number& number, Id word) {
    const Id s32 = emit.types().vectorType(emit.types().intType(32, true), w.components());
    const Id high = emit.bitcast(s32, w.left(word, 32 - number.bits));
    const Id f32 = emit.op(spv::Op::OpConvertSToF, w.f32(), {high});
    const int scale = static_cast<int>(number.bits) - 32 - static_cast<int>(number.fields.bias);
    return emit.op(spv::Op::OpFMul, w.f32(), {f32, w.constantF32(std::ldexp(1.0, scale))});
}

}  // namespace

Id bitsToF32(Emitter& emit, const Number& number, Id bits, uint32_t components) {
    Wide w(emit, components);
    const Id word = emit.op(spv::Op::OpUConvert, w.u32(), {bits});
    const uint32_t mantissa = number.mantissaBits(), bias = number.fields.bias;
    if (number.fields.exponentBits == 8) return sameExponent(emit, w, number, word);
    if (number.fields.exponentBits == 0) return fraction(emit, w, number, word);
    const Id magnitude = w.mask(word, magnitudeMask(number));
    const Id sign = w.left(w.mask(word, magnitudeMask(number) + 1), 32 - number.bits);
    const Id wide = w.left(magnitude, kMantissa32 - mantissa);
    const Id normal = w.plus(wide, (kBias - bias) << kMantissa32);
    // Denormals are so many units of the smallest one.
    const Id units = emit.op(spv::Op::OpConvertUToF, w.f32(), {magnitude});
    const Id unit = w.constantF32(std::ldexp(1.0, 1 - static_cast<int>(bias + mantissa)));
    const Id denormal = emit.op(spv::Op::OpFMul, w.f32(), {units, unit});
    Id result =
        w.select(w.isLess(magnitude, 1u << mantissa), emit.bitcast(w.u32(), denormal), normal);
    if (number.fields.specials == Number::Specials::kNone) {
        return emit.bitcast(w.f32(), w.either(result, sign));
    }
    // Infinity and NaN have the largest exponent of f32, too.
    const uint32_t largest = (1u << number.fields.exponentBits) - 1;
    const Id special = w.plus(wide, (255 - largest) << kMantissa32);
    result = w.select(w.isMore(magnitude, overflowOf(number, true)), special, result);
    return emit.bitcast(w.f32(), w.either(result, sign));
}

namespace {

// Magnitudes of f32, rounded to numbers below the smallest normal one.
Id roundedDenormal(Wide& w, const Number& number, Id magnitude) {
    const uint32_t smallestNormal = kBias - number.fields.bias + 1;  // its exponent in f32
    constexpr uint32_t kImplicitOne = 1u << kMantissa32;
    const Id significand = w.either(w.mask(magnitude, kImplicitOne - 1), w.constant(kImplicitOne));
    const Id exponent = w.right(magnitude, kMantissa32);
    const Id most = w.constant(kMantissa32 - number.mantissaBits() + smallestNormal);
    // Shifted by more than this, all is zero.
    const Id shift = w.least(w.op(spv::Op::OpISub, most, exponent), kMantissa32 + 2);
    const Id one = w.constant(1);
    const Id half = w.leftBy(one, w.op(spv::Op::OpISub, shift, one));
    return w.rounded(significand, w.op(spv::Op::OpISub, half, one), shift);
}

}  // namespace

Id f32ToBits(Emitter& emit, const Number& number, Id f32, uint32_t components, Rounding rounding) {
    const bool saturates = rounding == Rounding::kSaturated;
    Wide w(emit, components);
    const Id word = emit.bitcast(w.u32(), f32);
    const Id magnitude = w.mask(word, 0x7FFFFFFF);
    const Id sign = w.right(w.mask(word, 0x80000000), 32 - number.bits);
    const uint32_t mantissa = number.mantissaBits();
    Id result = rounding == Rounding::kTowardZero ? w.right(magnitude, kMantissa32 - mantissa)
                                                  : w.rounded(magnitude, kMantissa32 - mantissa);
    if (number.fields.exponentBits < 8) {
        const uint32_t smallestNormal = kBias - number.fields.bias + 1;
        result = w.plus(result, 0u - ((smallestNormal - 1) << mantissa));
        result = w.select(w.isLess(magnitude, smallestNormal << kMantissa32),
                          roundedDenormal(w, number, magnitude), result);
        result = w.least(result, overflowOf(number, saturates));
    }
    result = w.select(w.isMore(magnitude, kInfinity), w.constant(quietNanOf(number)), result);
    return w.either(result, sign);
}

Id f64ToOddF32(Emitter& emit, Id f64) {
    constexpr uint32_t kMantissa64 = 20;  // in the upper word
    constexpr uint32_t kInfinity64 = 0x7FF00000, kRebias = (1023 - kBias) << kMantissa64;
    Wide w(emit, 1);
    const Id words = emit.bitcast(emit.types().vectorType(w.u32(), 2), f64);
    const Id low = emit.extract(w.u32(), words, {0}), high = emit.extract(w.u32(), words, {1});
    const Id magnitude = w.mask(high, 0x7FFFFFFF), sign = w.mask(high, 0x80000000);
    const auto flag = [&](Id condition) {
        return w.select(condition, w.constant(1), w.constant(0));
    };
    const Id rest = flag(w.isMore(w.mask(low, 0x1FFFFFFF), 0));
    const Id moved = w.left(w.plus(magnitude, 0u - kRebias), kMantissa32 - kMantissa64);
    Id result = w.either(w.either(moved, w.right(low, 29)), rest);
    result = w.select(w.isLess(magnitude, kRebias + (1u << kMantissa64)), w.constant(0), result);
    const Id most = w.constant(kInfinity);
    result = w.select(w.isMore(magnitude, kRebias + (255u << kMantissa64) - 1), most, result);
    // NaN: above infinity, also if only the lower word is.
    const Id isBeyond = w.isMore(w.either(magnitude, flag(w.isMore(low, 0))), kInfinity64);
    result = w.select(isBeyond, w.constant(kInfinity | 1u << (kMantissa32 - 1)), result);
    return emit.bitcast(w.f32(), w.either(result, sign));
}

Id exponentToF64(Emitter& emit, const Number& number, Id bits, uint32_t components) {
    Wide w(emit, components);
    TypeTable& types = emit.types();
    const Id scalar = types.floatType(64), f64 = types.vectorType(scalar, components);
    const Id wide = emit.op(spv::Op::OpFConvert, f64, {bitsToF32(emit, number, bits, components)});
    const Id word = emit.op(spv::Op::OpUConvert, w.u32(), {bits});
    const double smallest = std::ldexp(1.0, -static_cast<int>(number.fields.bias));
    const Id constant = types.constantSplat(f64, types.constantFloat(scalar, smallest));
    return emit.op(spv::Op::OpSelect, f64, {w.isLess(word, 1), constant, wide});
}

}  // namespace coopvk::rewrite
