// SPDX-License-Identifier: Apache-2.0
#include "lowering/half_bits.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <cmath>
#include <format>

#include "ir/arithmetic_decorations.hpp"
#include "ir/control_flow.hpp"
#include "ir/opcodes.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

// Conversions between f32 and f16. Each instruction of f16 has several, so that few instructions
// matter more than for other formats.

namespace {

constexpr uint32_t kSingleMantissa = 23, kShift = kSingleMantissa - 10;
constexpr uint32_t kRebias = (127 - 15) << kSingleMantissa;
constexpr uint32_t kSmallestNormal = kRebias + (1u << kSingleMantissa);  // 2^-14
constexpr uint32_t kLargest = 0x477FE000, kBeyond = 0x47800000;          // 65504, 65536
constexpr uint32_t kSingleInfinity = 0x7F800000, kHalfInfinity = 0x7C00, kHalfNan = 0x7E00;

// Two f16 in a u32.
Id unpack(Emitter& emit, Id word) {
    const Id f32x2 = emit.types().vectorType(emit.types().floatType(32), 2);
    return emit.glsl(GLSLstd450UnpackHalf2x16, f32x2, {word});
}

Id unpackOne(Emitter& emit, Id bits) {
    TypeTable& types = emit.types();
    const Id word = emit.op(OpUConvert, types.uint32(), {bits});
    return emit.extract(types.floatType(32), unpack(emit, word), {0});
}

// Magnitudes of f32 from 2^-14 on.
U32 normal(const U32& magnitude, Rounding rounding) {
    constexpr uint32_t kHalfUnit = (1u << (kShift - 1)) - 1;
    if (rounding == Rounding::kTowardZero) {
        return (min(magnitude, kLargest) + (0u - kRebias)) >> kShift;
    }
    const U32 limited = min(magnitude, kBeyond);
    const U32 last = limited >> kShift & 1;
    return (limited + last + (kHalfUnit - kRebias)) >> kShift;
}

// Magnitudes below 2^-14, in units of 2^-24. Those are the last bits of f32 numbers from 0.5 to 1,
// so that an addition rounds to them. Devices may flush denormals of f32: they become zero anyway.
U32 denormal(Emitter& emit, Id type, const U32& magnitude, Rounding rounding) {
    TypeTable& types = emit.types();
    const Id words = emit.typeOf(magnitude);
    const bool truncates = rounding == Rounding::kTowardZero;
    const Id number = types.constantFloat(types.floatType(32), truncates ? 0x1p24 : 0.5);
    const Id by = types.constantSplat(type, number);
    const Id f32 =
        emit.exactOp(truncates ? OpFMul : OpFAdd, type, {emit.bitcast(type, magnitude), by});
    if (truncates) return {emit, emit.op(OpConvertFToU, words, {f32})};
    constexpr uint32_t kOneHalf = 0x3F000000;
    return U32(emit, emit.bitcast(words, f32)) + (0u - kOneHalf);
}

}  // namespace

// UnpackHalf2x16 is one instruction of GPUs, and exact. A device may flush denormals in it, as it
// may in any instruction that takes f16 (Vulkan specification, "Precision and Operation of SPIR-V
// Instructions"), so DenormPreserve of f16 is not offered.
Id halfToF32(Emitter& emit, Id bits, uint32_t components) {
    TypeTable& types = emit.types();
    const Id u32 = types.uint32(), u16 = types.intType(16, false);
    const Id pair = types.vectorType(u16, 2), f32 = types.floatType(32);
    if (components == 1) return unpackOne(emit, bits);
    if (components == 2) return unpack(emit, emit.op(OpBitcast, u32, {bits}));
    if (components == 4) {
        const Id words = emit.op(OpBitcast, types.vectorType(u32, 2), {bits});
        const Id halves[] = {unpack(emit, emit.extract(u32, words, {0})),
                             unpack(emit, emit.extract(u32, words, {1}))};
        return emit.construct(types.vectorType(f32, 4), halves);
    }
    const Id low = emit.op(OpVectorShuffle, pair,
                           {idOperand(bits), idOperand(bits), literal(0u), literal(1u)});
    const Id parts[] = {unpack(emit, emit.op(OpBitcast, u32, {low})),
                        unpackOne(emit, emit.extract(u16, bits, {2}))};
    return emit.construct(types.vectorType(f32, 3), parts);
}

// Not PackHalf2x16: Vulkan leaves its rounding to the device.
Id f32ToHalf(Emitter& emit, Id f32, uint32_t components, Rounding rounding) {
    TypeTable& types = emit.types();
    const U32 word(emit, emit.bitcast(types.vectorType(types.uint32(), components), f32));
    const U32 magnitude = word & 0x7FFFFFFF;
    U32 result =
        select(magnitude < kSmallestNormal, denormal(emit, emit.typeOf(f32), magnitude, rounding),
               normal(magnitude, rounding));
    if (rounding == Rounding::kTowardZero) {
        result = select(magnitude > kSingleInfinity - 1, word.same(kHalfInfinity), result);
    }
    result = select(magnitude > kSingleInfinity, word.same(kHalfNan), result);
    return result | (word >> 16 & 0x8000);
}

Id halfFunction(TypeTable& types, FunctionList& functions, uint32_t components, Rounding rounding) {
    const Id half = types.floatType(16), u16 = types.intType(16, false);
    const Id from = types.vectorType(types.floatType(32), components);
    const Id type = types.vectorType(half, components);
    const std::string name = std::format("coopvk_f32x{}_to_f16", components);
    FunctionBuilder f(types, functions, name, type, std::span(&from, 1));
    Emitter& emit = f.emit();
    types.declareArithmetic(u16);
    types.declareArithmetic(half);
    const Id words = f32ToHalf(emit, f.parameter(0), components, rounding);
    const Id bits = emit.op(OpUConvert, types.vectorType(u16, components), {words});
    return f.finish(emit.bitcast(type, bits));
}

std::optional<Rounding> halfRounding(const Module& module) {
    using enum spv::ExecutionMode;
    Rounding rounding = Rounding::kNearestEven;
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->opcode != OpExecutionMode || i->operands.size() != 3) continue;
        const auto mode = static_cast<spv::ExecutionMode>(i->word(1));
        const uint32_t width = i->word(2);
        if (mode == DenormFlushToZero && width == 16) return std::nullopt;
        if (mode == RoundingModeRTZ && width == 32) return std::nullopt;
        if (mode == RoundingModeRTZ && width == 16) rounding = Rounding::kTowardZero;
    }
    return rounding;
}

namespace {

constexpr uint32_t kMagnitude = 0x7FFF, kSign = 0x8000, kExponent = 0x7C00, kLeastNan = 0x7C01;
constexpr uint32_t kMantissaBits = 10;

// Of a format: the numbers of mantissa bits that f16 has beside it, and the exponents of the
// smallest and the largest normal number.
struct FormatRange {
    explicit FormatRange(const Number::FloatFields& fields)
        : lost(kMantissaBits - (7 - fields.exponentBits)),
          least(1 - static_cast<int>(fields.bias)),
          most(static_cast<int>((1u << fields.exponentBits) - 1 - fields.bias)) {}

    uint32_t lost;
    int least, most;
};

// Rounds two magnitudes to the mantissa of a format: to each is added a power of two, so large that
// the last bit of the sum is that of the mantissa.
class RoundingSum {
 public:
    RoundingSum(Emitter& emit, const Number& number, const U32& magnitude)
        : range_(number.fields),
          emit_(emit),
          half_(emit.types().floatType(16)),
          pair_(emit.types().vectorType(half_, 2)),
          exponents_(exponentsOf(emit.bitcast(pair_, magnitude))),
          powers_(emit.bitcast(pair_, exponents_)),
          sum_(multiplyAdd(powers_, power(static_cast<int>(range_.lost)),
                           emit.bitcast(pair_, magnitude))) {}

    // As f16; NaN and what is beyond the largest f16 are any f16 of at least the infinity's
    // magnitude.
    U32 halves() {
        const double subtracted = -std::ldexp(1.0, static_cast<int>(range_.lost));
        return wordOf(multiplyAdd(powers_, constant(subtracted), sum_)) & both(kMagnitude);
    }

    // As the bits of the format; of what is too large for it the same numbers plus any.
    U32 bits() {
        const uint32_t lost = range_.lost, mantissa = kMantissaBits - lost;
        const auto ofZero = static_cast<uint32_t>(range_.least + 15) << mantissa;
        const U32 sum = wordOf(sum_) & both(kMagnitude);
        return sum - exponents_ + (exponents_ >> lost) - both((lost << kMantissaBits) + ofZero);
    }

 private:
    U32 wordOf(Id halves) { return {emit_, emit_.bitcast(emit_.types().uint32(), halves)}; }
    Id constant(double value) {
        TypeTable& types = emit_.types();
        return types.constantSplat(pair_, types.constantFloat(half_, value));
    }
    Id power(int exponent) { return constant(std::ldexp(1.0, exponent)); }
    Id multiplyAdd(Id a, Id b, Id c) {
        const Id sum = emit_.glsl(GLSLstd450Fma, pair_, {a, b, c});
        computeExactly(emit_.module(), sum);
        return sum;
    }

    // The power of two of each magnitude, limited to those of normal numbers: of both scaled to
    // numbers from 0 to 1, which some devices limit without an instruction. What they flush there
    // is limited, too.
    U32 exponentsOf(Id magnitude) {
        const double down = -std::ldexp(1.0, range_.least - range_.most);
        const Id scaled = multiplyAdd(magnitude, power(-range_.most), constant(down));
        const Id null = emit_.types().constantNull(pair_);
        const Id limited = emit_.glsl(GLSLstd450NClamp, pair_, {scaled, null, power(0)});
        return wordOf(multiplyAdd(limited, power(range_.most), power(range_.least))) &
               both(kExponent);
    }

    const FormatRange range_;
    Emitter& emit_;
    const Id half_, pair_;
    const U32 exponents_;
    const Id powers_, sum_;
};

// 1 in each half in which bit 15 is set.
U32 top(const U32& halves) { return halves >> 15 & both(1); }

// Of a NaN the negative sign; what is too large keeps its own. Bit 15 of `nan` is set for a NaN.
U32 signOf(const U32& word, const U32& nan) { return (word | nan) & both(kSign); }

}  // namespace

bool canRoundHalves(const Module& module, const Number& number) {
    return number.isSmallFloat() && number.fields.exponentBits < 5 && !number.hasInfinity() &&
           halfRounding(module) == Rounding::kNearestEven;
}

Id roundedHalves(Emitter& emit, const Number& number, Id pair, bool saturates) {
    const FormatRange range(number.fields);
    const auto rebias = static_cast<uint32_t>(range.least + 14) << kMantissaBits;
    const uint32_t overflow = (magnitudeMask(number) << range.lost) + rebias;
    const U32 word(emit, emit.bitcast(emit.types().uint32(), pair));
    const U32 magnitude = word & both(kMagnitude);
    const U32 rounded = RoundingSum(emit, number, magnitude).halves();
    const U32 isBeyond = top(rounded + both(kSign - overflow)) * 0xFFFF;
    const U32 nan = magnitude + both(kSign - kLeastNan);
    const U32 sign = signOf(word, nan);
    if (!saturates)
        return emit.bitcast(emit.typeOf(pair), rounded | (isBeyond & both(0x7FFF)) | sign);
    const U32 largest = isBeyond & both(overflow - (1u << range.lost));
    const U32 limited = (rounded & (isBeyond ^ ~0u)) | largest;
    return emit.bitcast(emit.typeOf(pair), limited | sign | top(nan) * 0xFFFF);
}

Id roundedBytes(Emitter& emit, const Number& number, Id pair, bool saturates) {
    const U32 word(emit, emit.bitcast(emit.types().uint32(), pair));
    const U32 magnitude = word & both(kMagnitude);
    const U32 bits = RoundingSum(emit, number, magnitude).bits();
    const U32 beyond = top(bits + both(kSign - overflowOf(number)));
    const U32 limited = (bits | beyond * magnitudeMask(number)) & both(magnitudeMask(number));
    const U32 nan = magnitude + both(kSign - kLeastNan);
    // The largest number has one less than NaN.
    const U32 value = saturates ? limited - (beyond & (nan >> 15 ^ ~0u)) : limited;
    return value | signOf(word, nan) >> 8;
}

}  // namespace coopvk::rewrite
