// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/arithmetic_decorations.hpp"
#include "lowering/words.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

bool HalfCode::isHalf(Id type) const {
    if (context_.matrices.contains(type)) return true;
    const Number* number = context_.format(type);
    return number != nullptr && number->isHalf();
}

namespace {

// OpTypeMatrix, which must be unique (SPIR-V specification, section 2.8).
Id matrixType(Module& module, Id column, uint32_t columns) {
    const Operands operands = {idOperand(column), literal(columns)};
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpTypeMatrix && i->operands == operands) return i->result;
    }
    const Id type = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(spv::Op::OpTypeMatrix, 0, type, Operands(operands)));
    return type;
}

}  // namespace

Id HalfCode::f32Type(Id type) {
    if (!isHalf(type)) return type;
    TypeTable& types = context_.types;
    if (const auto matrix = context_.matrices.find(type); matrix != context_.matrices.end()) {
        return matrixType(context_.module, f32Type(matrix->second.column), matrix->second.columns);
    }
    return types.vectorType(types.floatType(32), types.components(type));
}

Id HalfCode::decode(Id value) {
    const Id type = emit_.typeOf(value);
    if (!isHalf(type)) return value;
    const auto matrix = context_.matrices.find(type);
    if (matrix == context_.matrices.end()) {
        Converter convert(context_, emit_, context_.types.components(type));
        return convert.decode(*context_.format(type), value);
    }
    std::vector<Id> columns;
    for (uint32_t c = 0; c < matrix->second.columns; ++c) {
        columns.push_back(decode(emit_.extract(matrix->second.column, value, {c})));
    }
    return emit_.construct(f32Type(type), columns);
}

Id HalfCode::encode(Id type, Id value) {
    if (!isHalf(type)) return value;
    const auto matrix = context_.matrices.find(type);
    if (matrix == context_.matrices.end()) {
        Converter convert(context_, emit_, context_.types.components(type));
        return convert.encode(*context_.format(type), value, Rounding::kNearestEven);
    }
    std::vector<Id> columns;
    const Id column = f32Type(matrix->second.column);
    for (uint32_t c = 0; c < matrix->second.columns; ++c) {
        columns.push_back(encode(matrix->second.column, emit_.extract(column, value, {c})));
    }
    return emit_.construct(type, columns);
}

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
    const Id word = emit.op(spv::Op::OpUConvert, types.uint32(), {bits});
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
U32 denormal(Emitter& emit, Wide& w, const U32& magnitude, Rounding rounding) {
    const Id value = emit.bitcast(w.f32, magnitude);
    const bool truncates = rounding == Rounding::kTowardZero;
    const Id by = w.constantF32(truncates ? std::ldexp(1.0, 24) : 0.5);
    const Id f32 = emit.op(truncates ? spv::Op::OpFMul : spv::Op::OpFAdd, w.f32, {value, by});
    forbidContraction(emit.module(), f32);
    if (truncates) return {emit, emit.op(spv::Op::OpConvertFToU, w.u32, {f32})};
    constexpr uint32_t kOneHalf = 0x3F000000;
    return U32(emit, emit.bitcast(w.u32, f32)) + (0u - kOneHalf);
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
    if (components == 2) return unpack(emit, emit.op(spv::Op::OpBitcast, u32, {bits}));
    if (components == 4) {
        const Id words = emit.op(spv::Op::OpBitcast, types.vectorType(u32, 2), {bits});
        const Id halves[] = {unpack(emit, emit.extract(u32, words, {0})),
                             unpack(emit, emit.extract(u32, words, {1}))};
        return emit.construct(types.vectorType(f32, 4), halves);
    }
    const Id low = emit.op(spv::Op::OpVectorShuffle, pair,
                           {idOperand(bits), idOperand(bits), literal(0u), literal(1u)});
    const Id parts[] = {unpack(emit, emit.op(spv::Op::OpBitcast, u32, {low})),
                        unpackOne(emit, emit.extract(u16, bits, {2}))};
    return emit.construct(types.vectorType(f32, 3), parts);
}

// Not PackHalf2x16: Vulkan leaves its rounding to the device.
Id f32ToHalf(Emitter& emit, Id f32, uint32_t components, Rounding rounding) {
    Wide w(emit.types(), components);
    const U32 word(emit, emit.bitcast(w.u32, f32));
    const U32 magnitude = word & 0x7FFFFFFF;
    U32 result = select(magnitude < kSmallestNormal, denormal(emit, w, magnitude, rounding),
                        normal(magnitude, rounding));
    if (rounding == Rounding::kTowardZero) {
        result = select(magnitude > kSingleInfinity - 1, word.same(kHalfInfinity), result);
    }
    result = select(magnitude > kSingleInfinity, word.same(kHalfNan), result);
    return result | (word >> 16 & 0x8000);
}

}  // namespace coopvk::rewrite
