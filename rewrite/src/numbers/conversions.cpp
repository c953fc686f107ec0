// SPDX-License-Identifier: Apache-2.0
#include "numbers/conversions.hpp"

#include "ir/opcodes.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

Id Converter::toF32(const Instruction& i, Id value, Inexact inexact) {
    const Id type = emit_.typeOf(value);
    if (const Number* number = context_.format(type)) return decode(*number, value);
    if (types_.isInteger(type)) return emit_.op(i.opcode, f32(), {value});
    if (inexact == Inexact::kToOdd && types_.width(type) == 64) return oddF32(value);
    return emit_.converted(f32(), value);
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
    return emit_.converted(i.type, value);
}

Rounding Converter::rounding(const Instruction& i) const {
    if (context_.isSaturated(i.result)) return Rounding::kToLargest;
    const Number* number = context_.format(i.type);
    return context_.isTruncated(i.result) && !number->isSmallFloat() ? Rounding::kTowardZero
                                                                     : Rounding::kNearestEven;
}

Id Converter::smallFloatToF16(const Number& number, Id value, Id type) {
    types_.declareArithmetic(types_.floatType(16));
    const Id u32 = types_.uint32(), u8 = types_.intType(8, false), f16 = types_.scalarOf(type);
    std::vector<Id> scalars;
    for (uint32_t c = 0; c < components_; c += 2) {
        const auto byte = [&](uint32_t at) {
            const Id scalar = components_ == 1 ? value : emit_.extract(u8, value, {at});
            return U32(emit_, emit_.op(OpUConvert, u32, {scalar}));
        };
        const bool isPair = c + 1 < components_;
        const U32 word = isPair ? byte(c) | byte(c + 1) << 8 : byte(c);
        const Id halves = smallFloatPair(emit_, number.fields, word);
        scalars.push_back(emit_.extract(f16, halves, {0}));
        if (isPair) scalars.push_back(emit_.extract(f16, halves, {1}));
    }
    return emit_.join(type, scalars);
}

namespace {

// The number of a format's row, for keys of functions.
uint32_t rowOf(const Number& number) {
    return static_cast<uint32_t>(&number - allNumbers().data());
}

}  // namespace

Id Converter::decode(const Number& number, Id value) {
    if (number.isHalf()) return halfToF32(emit_, value, components_);
    if (number.fields.exponentBits == 8) return bitsToF32(emit_, number, value, components_);
    const Id function = context_.helper({0, rowOf(number), components_}, [&] {
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
        return emit.op(OpUConvert, integers(number), {words});
    };
    if (!number.isSmallFloat() && !number.isHalf()) return bits(emit_, value);
    constexpr std::string_view kSuffixes[] = {"", "TowardZero", "Saturated"};
    const auto suffix = static_cast<uint32_t>(rounding);
    const std::vector<uint32_t> key = {1, suffix, rowOf(number), components_};
    const Id function = context_.helper(key, [&] {
        const Id parameter[] = {f32()};
        const std::string name =
            std::format("f32x{}To{}{}", components_, number.name, kSuffixes[suffix]);
        FunctionBuilder f(types_, context_.newFunctions, name, integers(number), parameter);
        return f.finish(bits(f.emit(), f.parameter(0)));
    });
    return emit_.call(integers(number), function, std::span(&value, 1));
}

bool HalfCode::isHalf(Id type) const {
    if (context_.matrices.contains(type)) return true;
    const Number* number = context_.format(type);
    return number != nullptr && number->isHalf();
}

Id HalfCode::f32Type(Id type) {
    if (!isHalf(type)) return type;
    TypeTable& types = context_.types;
    if (const auto matrix = context_.matrices.find(type); matrix != context_.matrices.end()) {
        return types.columnsType(f32Type(matrix->second.column), matrix->second.columns);
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

void defineResult(NumbersContext& context, Emitter& emit, const Instruction& i, Id value) {
    context.replaced.insert(i.result);
    emit.op(OpCopyObject, i.type, {value}, i.result);
}

namespace {

constexpr spv::Op kConverting[] = {OpFConvert, OpConvertFToU, OpConvertFToS, OpConvertSToF,
                                   OpConvertUToF};

bool isLoweredConversion(const NumbersContext& context, const Instruction& i) {
    return context.format(i.type) != nullptr || context.formatOf(i.word(0)) != nullptr;
}

bool isE5M2(const Number* number) {
    return number != nullptr && number->type == ComponentType::kFloatE5M2;
}

// Vulkan, "Validation Rules within a Module": formats of SPV_EXT_ocp_microscaling_types become
// floats, and nothing becomes one of these formats.
bool isAllowed(NumbersContext& context, const Instruction& i) {
    const Number* from = context.formatOf(i.word(0));
    const Number* to = context.format(i.type);
    if (to != nullptr && !to->isArithmetic()) {
        return context.fail(ErrorCode::kInvalidModule, i,
                            "no conversion gives a format of SPV_EXT_ocp_microscaling_types "
                            "(VUID-StandaloneSpirv-OpFConvert-12466)");
    }
    if (from != nullptr && !from->isArithmetic() && i.opcode != OpFConvert) {
        return context.fail(ErrorCode::kInvalidModule, i,
                            "formats of SPV_EXT_ocp_microscaling_types do not become integers "
                            "(VUID-StandaloneSpirv-OpConvertFToU-12465)");
    }
    return true;
}

bool lowerNumberConversion(NumbersContext& context, Emitter& emit, const Instruction& i) {
    if (!isLoweredConversion(context, i)) return false;
    const Id value = i.word(0);
    TypeTable& types = context.types;
    const uint32_t components = types.components(i.type);
    const auto count = [&](Id type) { return types.width(type) == 0 ? 0 : types.components(type); };
    if (components == 0 || components > 4 || count(emit.typeOf(value)) != components ||
        count(i.type) != components) {
        context.invalid(i, "a conversion's operand and result have as many components");
        return true;
    }
    if (!isAllowed(context, i)) return true;
    const Number* from = context.formatOf(value);
    const Number* to = context.format(i.type);
    if (from == to) {
        defineResult(context, emit, i, value);
        return true;
    }
    Converter convert(context, emit, components);
    if (types.isHalf(i.type) && to == nullptr && from != nullptr && from->isSmallFloat() &&
        context.target.device.shaderFloat16) {
        defineResult(context, emit, i, convert.smallFloatToF16(*from, value, i.type));
        return true;
    }
    if (lowerByHalves(context, emit, i)) return true;
    if (isE5M2(from) && to != nullptr && to->isHalf()) {
        const Id halves = context.replacement(i.type);
        const Id wide = emit.op(OpUConvert, halves, {value});
        defineResult(context, emit, i, U32(emit, wide, halves) << 8);
        return true;
    }
    const bool isWide = to == nullptr && types.isFloat(i.type) && types.width(i.type) == 64;
    if (isWide && from->encoding == kFloat8E8M0) {
        defineResult(context, emit, i, exponentToF64(emit, *from, value, components));
        return true;
    }
    // A second rounding must not change the result, except of bfloat16: "Conversions [...] first
    // convert the source value to IEEE754 binary32" (SPV_KHR_bfloat16).
    const bool rounds =
        to != nullptr && (to->isSmallFloat() || to->isHalf() || context.isTruncated(i.result));
    const Id single = convert.toF32(i, value, rounds ? Inexact::kToOdd : Inexact::kToNearestEven);
    if (to == nullptr && types.isFloat(i.type) && types.width(i.type) < 32) {
        // The driver's own conversion has the decorations.
        emit.op(OpFConvert, i.type, {single}, i.result);
    } else {
        defineResult(context, emit, i, convert.fromF32(i, single));
    }
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
        context.invalid(i, "OpDot takes two vectors of the result's type");
        return true;
    }
    Converter vectors(context, emit, components), scalar(context, emit, 1);
    const Id a = vectors.toF32(i, i.word(0)), b = vectors.toF32(i, i.word(1));
    const Id dot = emit.op(OpDot, types.floatType(32), {a, b});
    defineResult(context, emit, i, scalar.fromF32(i, dot));
    return true;
}

// Types that become equal make a bit cast a copy.
bool lowerBitcast(NumbersContext& context, Emitter& emit, Instruction& i) {
    if (!isLoweredConversion(context, i)) return false;
    if (castsPartsOfBytes(context, i)) return lowerPartsOfBytes(context, emit, i);
    if (context.replacement(i.type) != context.replacement(emit.typeOf(i.word(0)))) return false;
    i.opcode = OpCopyObject;
    return false;
}

}  // namespace

void addNumberConversions(OpcodeTable<NumbersFunction>& table) {
    addHalfArithmetic(table);
    table.add<lowerNumberConversion>(kConverting);
    table.add<lowerDot>({OpDot});
    table.add<lowerBitcast>({OpBitcast});
    table.add<lowerBitcastExtract>({kOpBitcastExtract});
}

}  // namespace coopvk::rewrite
