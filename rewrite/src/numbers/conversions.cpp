// SPDX-License-Identifier: Apache-2.0
#include "numbers/conversions.hpp"

#include "ir/opcodes.hpp"
#include "lowering/words.hpp"
#include "numbers/converter.hpp"
#include "numbers/half_floats.hpp"

namespace coopvk::rewrite {

namespace {

constexpr spv::Op kConverting[] = {spv::Op::OpFConvert, spv::Op::OpConvertFToU,
                                   spv::Op::OpConvertFToS, spv::Op::OpConvertSToF,
                                   spv::Op::OpConvertUToF};

bool isLoweredConversion(const NumbersContext& context, const Instruction& i) {
    return context.format(i.type) != nullptr || context.formatOf(i.word(0)) != nullptr;
}

bool isE5M2(const Number* number) {
    return number != nullptr && number->type == ComponentType::kFloatE5M2;
}

bool lowerConversion(NumbersContext& context, Emitter& emit, const Instruction& i) {
    if (!isLoweredConversion(context, i)) return false;
    const Id value = i.word(0);
    TypeTable& types = context.types;
    const uint32_t components = types.components(i.type);
    const auto count = [&](Id type) { return types.width(type) == 0 ? 0 : types.components(type); };
    if (components == 0 || components > 4 || count(emit.typeOf(value)) != components ||
        count(i.type) != components) {
        return !context.fail(ErrorCode::kInvalidModule, i,
                             "a conversion's operand and result have as many components");
    }
    const Number* from = context.formatOf(value);
    const Number* to = context.format(i.type);
    if (from == to) {
        finish(context, emit, i, value);
        return true;
    }
    Converter convert(context, emit, components);
    const bool isHalf = from != nullptr && to == nullptr && types.isFloat(i.type) &&
                        types.width(i.type) == 16 && !types.encoding(i.type);
    if (isHalf && isE5M2(from) && context.target.device.shaderFloat16) {
        finish(context, emit, i, convert.upperBytesToF16(value, i.type));
        return true;
    }
    if (isE5M2(from) && to != nullptr && to->isHalf()) {
        const Id halves = context.replacement(i.type);
        const Id wide = emit.op(spv::Op::OpUConvert, halves, {value});
        finish(context, emit, i, Bits(emit, halves).left(wide, 8));
        return true;
    }
    // A second rounding must not change the result.
    const bool odd =
        to != nullptr && (to->isSmallFloat() || to->isHalf() || context.isTruncated(i.result));
    finish(context, emit, i, convert.fromF32(i, convert.toF32(i, value, odd)));
    return true;
}

bool isBfloat16(const TypeTable& types, Id type) {
    return types.encoding(type) == spv::FPEncoding::BFloat16KHR;
}

// In f32: products of two bfloat16 are exact there.
bool lowerDot(NumbersContext& context, Emitter& emit, const Instruction& i) {
    if (!context.lowersDots || !isBfloat16(context.types, i.type)) {
        return lowerHalfArithmetic(context, emit, i);
    }
    TypeTable& types = context.types;
    const uint32_t components = types.components(emit.typeOf(i.word(0)));
    for (const Id operand : {i.word(0), i.word(1)}) {
        const Id type = emit.typeOf(operand);
        if (types.scalarOf(type) == i.type && types.components(type) == components &&
            components > 1 && components <= 4) {
            continue;
        }
        return !context.fail(ErrorCode::kInvalidModule, i,
                             "OpDot takes two vectors of the result's type");
    }
    Converter vectors(context, emit, components), scalar(context, emit, 1);
    const Id a = vectors.toF32(i, i.word(0), false), b = vectors.toF32(i, i.word(1), false);
    const Id dot = emit.op(spv::Op::OpDot, types.floatType(32), {a, b});
    finish(context, emit, i, scalar.fromF32(i, dot));
    return true;
}

// Types that become equal make a bit cast a copy.
bool lowerBitcast(NumbersContext& context, Emitter& emit, Instruction& i) {
    if (!isLoweredConversion(context, i)) return false;
    if (context.replacement(i.type) != context.replacement(emit.typeOf(i.word(0)))) return false;
    i.opcode = spv::Op::OpCopyObject;
    return false;
}

}  // namespace

void addNumberConversions(OpcodeTable<NumbersFunction>& table) {
    addHalfArithmetic(table);
    table.add<lowerConversion>(kConverting);
    table.add<lowerDot>({spv::Op::OpDot});
    table.add<lowerBitcast>({spv::Op::OpBitcast});
}

}  // namespace coopvk::rewrite
