// SPDX-License-Identifier: Apache-2.0
//
// Code on the bits of floats.
#include "numbers/conversions.hpp"

#include <cmath>

#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMantissa32 = 23, kBias = 127, kInfinity = 0x7F800000;

// u32 and f32, or vectors of `components` of them.
struct Types32 {
    Types32(TypeTable& table, uint32_t components)
        : types(table),
          u32(table.vectorType(table.uint32(), components)),
          f32(table.vectorType(table.floatType(32), components)) {}

    Id constantF32(double value) {
        return types.constantSplat(f32, types.constantFloat(types.floatType(32), value));
    }

    TypeTable& types;
    Id u32, f32;
};

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
    return emit.exactOp(OpFMul, w.f32, {f32, w.constantF32(std::ldexp(1.0, scale))});
}

// `bits`: a scalar or vector of unsigned integers of number.bits bits. Returns f32 components,
// which have the very same values. Emits no arithmetic on f32 denormals, which devices may flush.
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
    const Id denormal = emit.exactOp(OpFMul, w.f32, {units, unit});
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

// The same of E8M0 as f64: its smallest number is a denormal of f32.
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

// The other way, in 32-bit components. Rounds once; NaN stays NaN. Values that round to more than
// the largest number become infinity, or NaN if the format has none.
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

// A scalar f64 as an f32, rounded to odd. Numbers that f32 lacks become zero or infinity.
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

}  // namespace

// Bit casts of floats of 4 and 6 bits, which are held in bytes.

namespace {

bool isPartOfByte(const Number* number) { return number != nullptr && number->bits < 8; }

// A scalar or vector type as bits: those of a component, and of the integer that holds it.
struct BitType {
    Id scalar = 0;
    uint32_t components = 0, bits = 0;
    const Number* number = nullptr;  // null: the type stays

    uint32_t total() const { return components * bits; }
};

BitType bitType(const NumbersContext& context, Id type) {
    const Number* number = context.format(type);
    const uint32_t width = context.types.width(type);
    if (width == 0) return {};
    return {context.types.scalarOf(type), context.types.components(type),
            number != nullptr ? number->bits : width, number};
}

// The bits of a component, in the low bits of a u32.
Id bitsOf(Emitter& emit, const BitType& type, Id component) {
    TypeTable& types = emit.types();
    if (type.number == nullptr) {
        types.declareArithmetic(types.intType(type.bits, false));
        component = emit.bitcast(types.intType(type.bits, false), component);
    }
    return type.bits == 32 ? component : emit.op(OpUConvert, types.uint32(), {component});
}

Id componentOf(Emitter& emit, const BitType& type, Id word) {
    TypeTable& types = emit.types();
    const uint32_t stored = type.number != nullptr ? type.number->storedBits() : type.bits;
    const Id integer = types.intType(stored, false);
    types.declareArithmetic(integer);
    const Id value = stored == 32 ? word : emit.op(OpUConvert, integer, {word});
    return type.number != nullptr ? value : emit.bitcast(type.scalar, value);
}

// Whether a bit cast of a lowered format is from or to such floats.
bool castsPartsOfBytes(const NumbersContext& context, const Instruction& cast) {
    return isPartOfByte(context.format(cast.type)) || isPartOfByte(context.formatOf(cast.word(0)));
}

// The first component has the lowest bits (SPIR-V, OpBitcast). No more than four of 6 bits are
// cast.
bool lowerPartsOfBytes(NumbersContext& context, Emitter& emit, const Instruction& cast) {
    const BitType from = bitType(context, emit.typeOf(cast.word(0)));
    const BitType to = bitType(context, cast.type);
    if (from.total() == 0 || from.total() != to.total() || from.total() > 32) {
        context.invalid(cast, "a bit cast's operand and result have as many bits");
        return true;
    }
    if (from.components == to.components) {
        defineResult(context, emit, cast, cast.word(0));
        return true;
    }
    std::optional<Id> word;
    uint32_t at = 0;
    for (const Id part : emit.parts(cast.word(0))) {
        word = withPart(emit, word, bitsOf(emit, from, part), at);
        at += from.bits;
    }
    std::vector<Id> components;
    for (uint32_t c = 0; c < to.components; ++c) {
        const Id field = U32(emit, *word) >> c * to.bits & ((uint64_t{1} << to.bits) - 1);
        components.push_back(componentOf(emit, to, field));
    }
    defineResult(context, emit, cast, emit.join(context.replacement(cast.type), components));
    return true;
}

// OpBitcastExtractEXT.
bool lowerBitcastExtract(NumbersContext& context, Emitter& emit, const Instruction& i) {
    const Number* to = context.format(i.type);
    TypeTable& types = context.types;
    const Id from = emit.typeOf(i.word(0)), offset = emit.typeOf(i.word(1));
    const uint32_t width = types.width(from), components = types.components(i.type);
    if (to == nullptr) return false;
    if (!isPartOfByte(to) || !types.isInteger(from) || width <= to->bits ||
        types.components(from) != components || !types.isInteger(offset) ||
        types.components(offset) != 1 || components > 4) {
        context.invalid(i,
                        "takes wider integers, and gives floats of 4 or 6 bits "
                        "(VUID-StandaloneSpirv-Result-12468 and -Base-12469)");
        return true;
    }
    const Id integers = types.vectorType(types.intType(width, false), components);
    const Id bytes = types.vectorType(types.intType(8, false), components);
    const Id by = emit.splat(types.vectorType(offset, components), i.word(1));
    Id value = emit.op(OpShiftRightLogical, integers, {i.word(0), by});
    if (width != 8) value = emit.op(OpUConvert, bytes, {value});
    defineResult(context, emit, i, U32(emit, value, bytes) & (magnitudeMask(*to) * 2 + 1));
    return true;
}

// How a value is rounded that f32 has not.
enum class Inexact {
    kToNearestEven,
    kToOdd,  // toward zero, and the last bit becomes 1: a second rounding to a format of fewer bits
             // gives what one rounding would
};

// Functions, by what they convert.
enum Helper : uint32_t { kSmallToSingle, kSingleToSmall, kDoubleToOddSingle };

// The number of a format's row, for keys of functions.
uint32_t rowOf(const Number& number) {
    return static_cast<uint32_t>(&number - allNumbers().data());
}

// For scalars and vectors of so many components.
class Converter {
 public:
    Converter(NumbersContext& context, Emitter& emit, uint32_t components)
        : context_(context), types_(context.types), emit_(emit), components_(components) {}

    Id f32() { return vector(types_.floatType(32)); }

    // The operand of the conversion `i` as f32.
    Id toF32(const Instruction& i, Id value, Inexact inexact = Inexact::kToNearestEven) {
        const Id type = emit_.typeOf(value);
        if (const Number* number = context_.format(type)) return decode(*number, value);
        if (types_.isInteger(type)) return emit_.op(i.opcode, f32(), {value});
        if (inexact == Inexact::kToOdd && types_.width(type) == 64) return oddF32(value);
        return emit_.converted(f32(), value);
    }

    // f32 as the result of `i`.
    Id fromF32(const Instruction& i, Id value) {
        if (const Number* number = context_.format(i.type)) {
            return encode(*number, value, rounding(i));
        }
        if (types_.isInteger(i.type)) return emit_.op(i.opcode, i.type, {value});
        return emit_.converted(i.type, value);
    }

    Id decode(const Number& number, Id value) {
        if (number.isHalf()) return halfToF32(emit_, value, components_);
        if (number.fields.exponentBits == 8) return bitsToF32(emit_, number, value, components_);
        const Id function = context_.helper({kSmallToSingle, rowOf(number), components_}, [&] {
            const Id parameter[] = {integers(number)};
            const std::string name = std::format("{}x{}ToF32", number.name, components_);
            FunctionBuilder f(types_, context_.newFunctions, name, f32(), parameter);
            return f.finish(bitsToF32(f.emit(), number, f.parameter(0), components_));
        });
        return emit_.call(f32(), function, std::span(&value, 1));
    }

    Id encode(const Number& number, Id value, Rounding rounding) {
        const auto bits = [&](Emitter& emit, Id from) {
            const Id words = number.isHalf() ? f32ToHalf(emit, from, components_, rounding)
                                             : f32ToBits(emit, number, from, components_, rounding);
            return emit.op(OpUConvert, integers(number), {words});
        };
        if (!number.isSmallFloat() && !number.isHalf()) return bits(emit_, value);
        constexpr std::string_view kSuffixes[] = {"", "TowardZero", "Saturated"};
        const auto suffix = static_cast<uint32_t>(rounding);
        const std::vector<uint32_t> key = {kSingleToSmall, suffix, rowOf(number), components_};
        const Id function = context_.helper(key, [&] {
            const Id parameter[] = {f32()};
            const std::string name =
                std::format("f32x{}To{}{}", components_, number.name, kSuffixes[suffix]);
            FunctionBuilder f(types_, context_.newFunctions, name, integers(number), parameter);
            return f.finish(bits(f.emit(), f.parameter(0)));
        });
        return emit_.call(integers(number), function, std::span(&value, 1));
    }

    // By bits: denormals are kept, which devices may flush elsewhere, and the sign of NaN.
    Id smallFloatToF16(const Number& number, Id value, Id type) {
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

 private:
    Id oddF32(Id value) {
        const Id f64 = types_.floatType(64), scalar = types_.floatType(32);
        const Id function = context_.helper({kDoubleToOddSingle}, [&] {
            FunctionBuilder f(types_, context_.newFunctions, "f64ToOddF32", scalar,
                              std::span(&f64, 1));
            return f.finish(f64ToOddF32(f.emit(), f.parameter(0)));
        });
        std::vector<Id> scalars;
        for (const Id part : emit_.parts(value)) {
            scalars.push_back(emit_.call(scalar, function, std::span(&part, 1)));
        }
        return emit_.join(f32(), scalars);
    }

    Rounding rounding(const Instruction& i) const {
        if (context_.isSaturated(i.result)) return Rounding::kToLargest;
        const Number* number = context_.format(i.type);
        return context_.isTruncated(i.result) && !number->isSmallFloat() ? Rounding::kTowardZero
                                                                         : Rounding::kNearestEven;
    }

    Id vector(Id scalar) { return types_.vectorType(scalar, components_); }
    Id integers(const Number& number) { return vector(types_.intType(number.storedBits(), false)); }

    NumbersContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    uint32_t components_;
};

}  // namespace

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
