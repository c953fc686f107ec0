// SPDX-License-Identifier: Apache-2.0
#include "lowering/number.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// Whether a float is the upper byte of the f16 with its value, as E5M2 is.
constexpr bool isUpperByte(const Number::FloatFields& fields) {
    return fields.exponentBits == 5 && fields.specials == Number::Specials::kIeee;
}

}  // namespace

Id smallFloatPair(Emitter& emit, const Number::FloatFields& fields, Id bytes) {
    const U32 word(emit, bytes);
    const U32 first = (word & 0xFF) << 8;
    const U32 second = word << 16 & 0xFF000000;
    const U32 spread = first | second;
    TypeTable& types = emit.types();
    if (isUpperByte(fields)) return emit.bitcast(types.vectorType(types.floatType(16), 2), spread);
    return smallFloatsOfOddBytes(emit, fields, spread);
}

namespace {

// Two magnitudes of the format, at the positions of f16, as f16. In a product f16 denormals would
// be factors, which devices may flush.
U32 withoutHalfDenormals(Emitter& emit, const Number::FloatFields& fields, const U32& magnitude) {
    const DenormalSum sum(emit, fields);
    const U32 normal = magnitude + both(sum.rebias);
    const Id units = emit.bitcast(sum.pair, magnitude >> sum.lost | both(sum.baseBits));
    const Id small = emit.exactOp(OpFSub, sum.pair, {units, sum.base});
    const uint32_t exponent = ((1u << fields.exponentBits) - 1) << 10;
    // Any bit of the exponent carries into bit 14.
    const U32 isNormal = ((magnitude & both(exponent)) + both(0x3C00)) >> 14 & both(1);
    const U32 mask = isNormal * 0xFFFF;
    return (normal & mask) | (U32(emit, emit.bitcast(emit.types().uint32(), small)) & (mask ^ ~0u));
}

}  // namespace

Id smallFloatsOfOddBytes(Emitter& emit, const Number::FloatFields& fields, Id bytes) {
    TypeTable& types = emit.types();
    const U32 word(emit, bytes);
    const Id f16 = types.floatType(16);
    const Id pair = types.vectorType(f16, 2);
    if (isUpperByte(fields)) return emit.bitcast(pair, word & 0xFF00FF00);
    const uint32_t by = 5 - fields.exponentBits;
    const U32 magnitude = (word & 0x7F007F00) >> by;
    // NaN would become a finite number. It has all bits set: adding one to its last bit carries
    // into the bit above its exponent.
    U32 nan = (magnitude + (0x01000100u >> by)) & (0x80008000u >> by);
    // All bits of the exponent are set by it and the magnitude, or by so many times the bit.
    if (by > 1) nan = (nan >> (15 - by)) * 0x7FFF;
    const U32 sign = word & 0x80008000;
    if (!preservesHalfDenormals(emit.module())) {
        const U32 number = withoutHalfDenormals(emit, fields, magnitude);
        // If all bits of the exponent and the mantissa are to be set, `nan` has one of them.
        const U32 all = by > 1 ? nan : (nan >> 14) * 0x7FFF;
        return emit.bitcast(pair, number | all | sign);
    }
    const double factor = 1u << (15 - fields.bias);
    const Id scale = types.constantSplat(pair, types.constantFloat(f16, factor));
    const Id half = emit.bitcast(pair, magnitude | nan);
    const Id scaled = emit.exactOp(OpFMul, pair, {half, scale});
    // Devices may drop the sign of NaN in a product.
    return emit.bitcast(pair, U32(emit, emit.bitcast(types.uint32(), scaled)) | sign);
}

DenormalSum::DenormalSum(Emitter& emit, const Number::FloatFields& fields)
    : mantissa(7 - fields.exponentBits), lost(10 - mantissa) {
    TypeTable& types = emit.types();
    const Id f16 = types.floatType(16);
    pair = types.vectorType(f16, 2);
    const int exponent = 11 - static_cast<int>(fields.bias + mantissa);
    base = types.constantSplat(pair, types.constantFloat(f16, std::ldexp(1.0, exponent)));
    baseBits = static_cast<uint32_t>(exponent + 15) << 10;
    rebias = (15 - fields.bias) << 10;
}

namespace {

Id scalarType(TypeTable& types, const Number& number) {
    if (number.isFloat()) return types.floatType(number.computedBits);
    // 32-bit signed integers hold all values of narrower integers.
    return types.intType(number.computedBits, number.isSigned() || number.bits < 32);
}

std::vector<Id> whole(Emitter& emit, const Number& number, Id word) {
    TypeTable& types = emit.types();
    const Id scalar = scalarType(types, number);
    return {emit.bitcast(types.vectorType(scalar, 32 / number.bits), word)};
}

std::vector<Id> bitFields(Emitter& emit, const Number& number, Id word) {
    TypeTable& types = emit.types();
    const Id type = scalarType(types, number);
    const Id value = emit.bitcast(type, word);
    std::vector<Id> components;
    for (uint32_t first = 0; first < 32; first += number.bits) {
        components.push_back(
            U32(emit, value).field(types.constantU32(first), number.bits, number.isSigned()));
    }
    return components;
}

// The two halves of a u32 as f32: a bfloat16 is the upper half of one.
std::vector<Id> upperHalves(Emitter& emit, const Number&, Id word) {
    const Id f32 = emit.types().floatType(32);
    const U32 both(emit, word);
    return {emit.bitcast(f32, both << 16), emit.bitcast(f32, both & 0xFFFF0000)};
}

std::vector<Id> smallFloats(Emitter& emit, const Number& number, Id word) {
    const Id low = smallFloatPair(emit, number.fields, word);
    return {low, smallFloatPair(emit, number.fields, U32(emit, word) >> 16)};
}

using enum ComponentType;
using enum NumberKind;
using Features = DeviceFeatures;

constexpr auto kE4M3 = spv::FPEncoding::Float8E4M3EXT, kE5M2 = spv::FPEncoding::Float8E5M2EXT;
constexpr auto kBf16 = spv::FPEncoding::BFloat16KHR;
constexpr auto kIeee = Number::Specials::kIeee, kOnlyNan = Number::Specials::kOnlyNan,
               kNoSpecials = Number::Specials::kNone;

constexpr Number fourBits(std::string_view name, NumberKind kind) {
    return {kNoComponentType,      name, kind, 4,         32, bitFields,
            &Features::shaderInt8, {},   {},   &kFourBits};
}

// smallFloatPair() and kSmallFloats need this.
constexpr bool isHeldAsHalf(const Number::FloatFields& fields) {
    return fields.exponentBits < 5 ? fields.specials == kOnlyNan && fields.bias <= 15
                                   : isUpperByte(fields);
}

consteval Number smallFloat(ComponentType type, std::string_view name, spv::FPEncoding encoding,
                            Number::FloatFields fields) {
    if (!isHeldAsHalf(fields)) throw "no half float has all numbers of this type";
    return {type,     name,   kFloat,       8, 16, smallFloats, &Features::shaderFloat16,
            encoding, fields, &kSmallFloats};
}

constexpr Number moved(std::string_view name, uint32_t bits, spv::FPEncoding encoding,
                       Number::FloatFields fields) {
    return {kNoComponentType,      name,     kFloat, bits, 0, nullptr,
            &Features::shaderInt8, encoding, fields};
}

// Type, name, kind, bits, bits of sums, how a word is unpacked, feature, encoding, and of floats
// the bits of the exponent, its bias, and what is no number.
constexpr Number kNumbers[] = {
    {kFloat16, "f16", kFloat, 16, 16, whole, &Features::shaderFloat16, {}, {5, 15, kIeee}},
    {kFloat32, "f32", kFloat, 32, 32, whole, nullptr, {}, {8, 127, kIeee}},
    {kFloat64, "f64", kFloat, 64, 64, nullptr, &Features::shaderFloat64, {}, {11, 1023, kIeee}},
    {kSint8, "s8", kSigned, 8, 32, bitFields, &Features::shaderInt8},
    {kSint16, "s16", kSigned, 16, 32, bitFields, &Features::shaderInt16},
    {kSint32, "s32", kSigned, 32, 32, whole},
    {kSint64, "s64", kSigned, 64, 64, nullptr, &Features::shaderInt64},
    {kUint8, "u8", kUnsigned, 8, 32, bitFields, &Features::shaderInt8},
    {kUint16, "u16", kUnsigned, 16, 32, bitFields, &Features::shaderInt16},
    {kUint32, "u32", kUnsigned, 32, 32, whole},
    {kUint64, "u64", kUnsigned, 64, 64, nullptr, &Features::shaderInt64},
    {kBFloat16,
     "bf16",
     kFloat,
     16,
     32,
     upperHalves,
     &Features::shaderInt16,
     kBf16,
     {8, 127, kIeee}},
    fourBits("s4", kSigned),
    fourBits("u4", kUnsigned),
    smallFloat(kFloatE4M3, "e4m3", kE4M3, {4, 7, kOnlyNan}),
    smallFloat(kFloatE5M2, "e5m2", kE5M2, {5, 15, kIeee}),
    moved("e2m1", 4, kFloat4E2M1, {2, 1, kNoSpecials}),
    moved("e2m3", 6, kFloat6E2M3, {2, 1, kNoSpecials}),
    moved("e3m2", 6, kFloat6E3M2, {3, 3, kNoSpecials}),
    moved("e8m0", 8, kFloat8E8M0, {8, 127, kOnlyNan}),
    moved("mxint8", 8, kMxInt8, {0, 6, kNoSpecials}),
};

const Number* findRow(auto isWanted) {
    const auto found = std::ranges::find_if(kNumbers, isWanted);
    return found == std::end(kNumbers) ? nullptr : found;
}

}  // namespace

std::span<const Number> allNumbers() { return kNumbers; }

const Number* findNumber(ComponentType type) {
    if (type == kNoComponentType) return nullptr;
    return findRow([&](const Number& number) { return number.type == type; });
}

const Number* findNumber(NumberKind kind, uint32_t bits, std::optional<spv::FPEncoding> encoding) {
    return findRow([&](const Number& number) {
        return number.kind == kind && number.bits == bits && number.encoding == encoding;
    });
}

const Number* numberOf(const TypeTable& types, Id type) {
    if (!types.componentProblem(types.scalarOf(type)).empty()) return nullptr;
    const NumberKind kind = types.isFloat(type)    ? kFloat
                            : types.isSigned(type) ? kSigned
                                                   : kUnsigned;
    return findNumber(kind, types.width(type), types.encoding(type));
}

std::vector<Id> unpackWord(Emitter& emit, const Number& number, Id word) {
    emit.types().declareArithmetic(scalarType(emit.types(), number));
    return number.unpack(emit, number, word);
}

namespace {

// Converts an integer, read as signed or unsigned, to a 32-bit one of that signedness.
Id extend(Emitter& emit, Id value, bool isSigned) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(emit.typeOf(value));
    const Id wide = types.intType(32, isSigned);
    if (width == 32) return emit.bitcast(wide, value);
    const Id typed = emit.bitcast(types.intType(width, isSigned), value);
    return emit.op(isSigned ? OpSConvert : OpUConvert, wide, {typed});
}

}  // namespace

Id toInteger(Emitter& emit, const Number& to, Id value, bool isSigned) {
    TypeTable& types = emit.types();
    const Id s32 = types.intType(32, true);
    const int32_t low = to.isSigned() ? -(1 << (to.bits - 1)) : 0;
    const int32_t high = low + (1 << to.bits) - 1;
    const uint32_t width = types.width(emit.typeOf(value));
    if (types.isFloat(emit.typeOf(value))) {
        const Id f32 = types.floatType(32);
        if (width != 32) value = emit.op(OpFConvert, f32, {value});
        value = emit.glsl(GLSLstd450RoundEven, f32, {value});
        value = emit.glsl(GLSLstd450NMax, f32, {value, types.constantFloat(f32, low)});
        value = emit.glsl(GLSLstd450NMin, f32, {value, types.constantFloat(f32, high)});
        return emit.op(OpConvertFToS, s32, {value});
    }
    value = extend(emit, value, isSigned);
    if (width <= to.bits && isSigned == to.isSigned()) return emit.bitcast(s32, value);
    const Id wide = emit.typeOf(value);
    const Id top = types.constant(wide, static_cast<uint64_t>(high));
    if (isSigned) {
        const Id bottom = types.constant(wide, static_cast<uint64_t>(int64_t{low}));
        value = emit.glsl(GLSLstd450SClamp, wide, {value, bottom, top});
    } else {
        value = emit.glsl(GLSLstd450UMin, wide, {value, top});
    }
    return emit.bitcast(s32, value);
}

// The values of numbers' bits, the bits of values, and arrays of numbers
// (SPV_QCOM_cooperative_matrix_conversion).

namespace {

// The bits of infinity; if there is none, of the first number of NaN's exponent.
uint32_t infinityOf(const Number& number) {
    return ((1u << number.fields.exponentBits) - 1) << number.mantissaBits();
}

double ofTwosComplement(const Number& number, uint64_t bits) {
    const auto value = static_cast<int8_t>(bits << (8 - number.bits));
    return std::ldexp(value,
                      static_cast<int>(number.bits) - 8 - static_cast<int>(number.fields.bias));
}

uint32_t quietNanOf(const Number& number) {
    return number.hasInfinity() ? infinityOf(number) | 1u << (number.mantissaBits() - 1)
                                : magnitudeMask(number);
}

}  // namespace

uint32_t magnitudeMask(const Number& number) {
    return (1u << (number.bits - (number.hasSign() ? 1 : 0))) - 1;
}

uint32_t overflowOf(const Number& number) {
    if (number.fields.specials == Number::Specials::kNone) return magnitudeMask(number) + 1;
    return number.hasInfinity() ? infinityOf(number) : magnitudeMask(number);
}

uint32_t convertedNanOf(const Number& number) {
    const bool hasOneNan = number.fields.specials == Number::Specials::kOnlyNan;
    const bool isNegative = hasOneNan && number.hasSign();
    return quietNanOf(number) | (isNegative ? magnitudeMask(number) + 1 : 0);
}

double valueOf(const Number& number, uint64_t bits) {
    if (number.bits == 64) return std::bit_cast<double>(bits);
    if (number.fields.exponentBits == 0) return ofTwosComplement(number, bits);
    const uint32_t mantissa = number.mantissaBits();
    const auto magnitude = static_cast<uint32_t>(bits) & magnitudeMask(number);
    const bool isNegative = number.hasSign() && (bits >> (number.bits - 1) & 1) != 0;
    const double sign = isNegative ? -1 : 1;
    if (magnitude >= overflowOf(number)) {
        const bool isInfinity = number.hasInfinity() && magnitude == infinityOf(number);
        return std::copysign(isInfinity ? INFINITY : NAN, sign);
    }
    const uint32_t exponent = magnitude >> mantissa;
    const uint32_t fraction = magnitude & ((1u << mantissa) - 1);
    // Without mantissa there are neither zero nor denormals.
    const bool isDenormal = exponent == 0 && mantissa != 0;
    const uint32_t significand = isDenormal ? fraction : fraction | 1u << mantissa;
    const int scale = static_cast<int>(isDenormal ? 1 : exponent) -
                      static_cast<int>(number.fields.bias + mantissa);
    return sign * std::ldexp(significand, scale);
}

uint64_t bitsOf(const Number& number, double value, bool saturates) {
    if (number.bits == 64) return std::bit_cast<uint64_t>(value);
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (number.bits - 1) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | convertedNanOf(number);
    const uint64_t most = overflowOf(number) - (saturates ? 1 : 0);
    if (std::isinf(value)) return sign | most;
    const auto mantissa = static_cast<int>(number.mantissaBits());
    const int smallest = 1 - static_cast<int>(number.fields.bias) - mantissa;
    int exponent = smallest;
    if (magnitude != 0) std::frexp(magnitude, &exponent);
    // The unit in the last place. A carry out of the mantissa correctly increments the exponent.
    const int unit = std::max(exponent - 1 - mantissa, smallest);
    const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    return sign | std::min((static_cast<uint64_t>(unit - smallest) << mantissa) + units, most);
}

namespace {

// More elements than any matrix has, and few enough to unroll.
constexpr uint64_t kMostElements = 4096;

}  // namespace

NumberArray numberArray(const LoweringContext& context, Id type) {
    const Instruction& def = context.module.def(type);
    const std::optional<uint64_t> length = context.module.constantValue(def.word(1));
    const bool isScalar =
        context.types.components(def.word(0)) == 1 && context.types.width(def.word(0)) != 0;
    if (def.opcode != OpTypeArray || !length || *length == 0 || *length > kMostElements ||
        !isScalar) {
        return {};
    }
    return {type, def.word(0), static_cast<uint32_t>(*length)};
}

bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar) {
    if (scalar == 0 || !context.types.encoding(scalar)) return true;
    context.invalid(at,
                    "floats must have the default encoding, no bfloat16 or 8-bit floats "
                    "(SPV_QCOM_cooperative_matrix_conversion)");
    return false;
}

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast) {
    const NumberArray to = numberArray(context, cast.type);
    const NumberArray from = numberArray(context, context.module.def(cast.word(0)).type);
    const TypeTable& types = context.types;
    if (!requireDefaultEncoding(context, cast, to.element) ||
        !requireDefaultEncoding(context, cast, from.element)) {
        return;
    }
    if (from.element == 0 || uint64_t{to.length} * types.width(to.element) !=
                                 uint64_t{from.length} * types.width(from.element)) {
        return context.invalid(cast, "casts arrays of different sizes");
    }
    const std::vector<Slot> slots = slotsOf(emit, emit.parts(cast.word(0)));
    const std::vector<Slot> cells = regroup(emit, slots, from.element, to.element);
    emit.construct(to.type, scalarsOf(emit, to.element, cells), cast.result);
}

namespace {

// The function (array, start) that returns elements from a dynamic index on.
Id subArrayHelper(LoweringContext& context, const NumberArray& from, const NumberArray& to,
                  Id indexType) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(OpExtractSubArrayQCOM), from.type,
                                       to.type, indexType};
    return context.helper(key, [&] {
        TypeTable& types = context.types;
        // The array's type may have a layout, which a Function variable must not have.
        const Id plain = types.arrayType(from.element, from.length);
        const Id parameters[] = {from.type, indexType};
        FunctionBuilder function(types, context.newFunctions,
                                 std::format("coopvk_subarray_{}_of_{}", to.length, from.length),
                                 to.type, parameters);
        Emitter& emit = function.emit();
        const Id variable = function.variable(plain);
        function.store(variable, emit.construct(plain, emit.parts(function.parameter(0))));
        std::vector<Id> parts;
        for (uint32_t i = 0; i < to.length; ++i) {
            const Id index =
                emit.addInt(indexType, function.parameter(1), types.constant(indexType, i));
            parts.push_back(function.load(function.element(variable, index)));
        }
        return function.finish(emit.construct(to.type, parts));
    });
}

}  // namespace

void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract) {
    const NumberArray to = numberArray(context, extract.type);
    const NumberArray from = numberArray(context, context.module.def(extract.word(0)).type);
    const Id start = extract.word(1);
    if (!requireDefaultEncoding(context, extract, from.element)) return;
    if (to.element == 0 || from.element != to.element || to.length > from.length ||
        !context.types.isInteger(emit.typeOf(start))) {
        return context.invalid(extract,
                               "extracts from an array that is smaller or has other elements");
    }
    if (const std::optional<uint64_t> first = context.module.constantValue(start)) {
        // Elements beyond the end are undefined, but indices must be valid.
        std::vector<Id> values;
        for (uint32_t i = 0; i < to.length; ++i) {
            const auto at = static_cast<uint32_t>((*first + i) % from.length);
            values.push_back(emit.extract(from.element, extract.word(0), {at}));
        }
        emit.construct(to.type, values, extract.result);
        return;
    }
    const Id helper = subArrayHelper(context, from, to, emit.typeOf(start));
    emit.call(to.type, helper, std::array{extract.word(0), start}, extract.result);
}

}  // namespace coopvk::rewrite
