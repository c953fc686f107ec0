// SPDX-License-Identifier: Apache-2.0
#include "numbers/converter.hpp"

#include "lowering/words.hpp"

namespace coopvk::rewrite {

Id Converter::toF32(const Instruction& i, Id value, bool odd) {
    const Id type = emit_.typeOf(value);
    if (const Number* number = context_.format(type)) return decode(*number, value);
    if (types_.isInteger(type)) return emit_.op(i.opcode, f32(), {value});
    if (odd && types_.width(type) == 64) return oddF32(value);
    const bool isF32 = types_.width(type) == 32;
    return isF32 ? value : emit_.op(spv::Op::OpFConvert, f32(), {value});
}

Id Converter::oddF32(Id value) {
    const Id f64 = types_.floatType(64), scalar = types_.floatType(32);
    const Id function = context_.helper({3}, [&] {
        FunctionBuilder f(types_, context_.newFunctions, "f64ToOddF32", scalar, std::span(&f64, 1));
        return f.finish(f64ToOddF32(f.emit(), f.parameter(0)));
    });
    std::vector<Id> scalars;
    for (const Id part : emit_.parts(value)) {
        scalars.push_back(emit_.call(scalar, function, std::span(&part, 1)));
    }
    return emit_.join(f32(), scalars);
}

Id Converter::fromF32(const Instruction& i, Id value) {
    if (const Number* number = context_.format(i.type)) {
        return encode(*number, value, rounding(i));
    }
    if (types_.isInteger(i.type)) return emit_.op(i.opcode, i.type, {value});
    return types_.width(i.type) == 32 ? value : emit_.op(spv::Op::OpFConvert, i.type, {value});
}

Rounding Converter::rounding(const Instruction& i) const {
    if (context_.isSaturated(i.result)) return Rounding::kSaturated;
    const Number* number = context_.format(i.type);
    return context_.isTruncated(i.result) && !number->isSmallFloat() ? Rounding::kTowardZero
                                                                     : Rounding::kNearestEven;
}

Id Converter::upperBytesToF16(Id value, Id type) {
    types_.declareArithmetic(types_.floatType(16));
    const Id u32 = types_.uint32(), u8 = types_.intType(8, false);
    const Id f16 = types_.scalarOf(type), pair = types_.vectorType(f16, 2);
    std::vector<Id> scalars;
    for (uint32_t c = 0; c < components_; ++c) {
        const Id byte = components_ == 1 ? value : emit_.extract(u8, value, {c});
        const Id word = Bits(emit_).left(emit_.op(spv::Op::OpUConvert, u32, {byte}), 8);
        scalars.push_back(emit_.extract(f16, emit_.bitcast(pair, word), {0}));
    }
    return emit_.join(type, scalars);
}

Id Converter::decode(const Number& number, Id value) {
    if (number.isHalf()) return halfToF32(emit_, value, components_);
    if (!number.isSmallFloat()) return bitsToF32(emit_, number, value, components_);
    const Id function = context_.helper({0, number.fields.exponentBits, components_}, [&] {
        const Id parameter[] = {integers(number)};
        const std::string name = std::format("{}x{}ToF32", number.name, components_);
        FunctionBuilder f(types_, context_.newFunctions, name, f32(), parameter);
        return f.finish(bitsToF32(f.emit(), number, f.parameter(0), components_));
    });
    return emit_.call(f32(), function, std::span(&value, 1));
}

Id Converter::encode(const Number& number, Id value, Rounding rounding) {
    const auto bits = [&](Emitter& emit, Id from) {
        const Id words = number.isHalf() ? f32ToHalf(emit, from, components_, rounding)
                                         : f32ToBits(emit, number, from, components_, rounding);
        return emit.op(spv::Op::OpUConvert, integers(number), {words});
    };
    if (!number.isSmallFloat() && !number.isHalf()) return bits(emit_, value);
    constexpr std::string_view kSuffixes[] = {"", "TowardZero", "Saturated"};
    const auto suffix = static_cast<uint32_t>(rounding);
    const std::vector<uint32_t> key = {1, suffix, number.bits, number.fields.exponentBits,
                                       components_};
    const Id function = context_.helper(key, [&] {
        const Id parameter[] = {f32()};
        const std::string name =
            std::format("f32x{}To{}{}", components_, number.name, kSuffixes[suffix]);
        FunctionBuilder f(types_, context_.newFunctions, name, integers(number), parameter);
        return f.finish(bits(f.emit(), f.parameter(0)));
    });
    return emit_.call(integers(number), function, std::span(&value, 1));
}

void finish(NumbersContext& context, Emitter& emit, const Instruction& i, Id result) {
    context.replaced.insert(i.result);
    emit.op(spv::Op::OpCopyObject, i.type, {result}, i.result);
}

}  // namespace coopvk::rewrite
