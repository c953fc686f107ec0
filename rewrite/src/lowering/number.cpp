// SPDX-License-Identifier: Apache-2.0
#include "lowering/number.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
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
    const Id small = emit.op(OpFSub, sum.pair, {units, sum.base});
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
    const Id scaled = emit.op(OpFMul, pair, {half, scale});
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

}  // namespace coopvk::rewrite
