// SPDX-License-Identifier: Apache-2.0
#include "lowering/half_bits.hpp"

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
    const Id f32 = emit.op(truncates ? OpFMul : OpFAdd, type, {emit.bitcast(type, magnitude), by});
    forbidContraction(emit.module(), f32);
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

}  // namespace coopvk::rewrite
