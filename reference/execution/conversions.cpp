// SPDX-License-Identifier: Apache-2.0
//
// Conversions between numbers and of bits (SPIR-V, 3.52.11), and numbers packed in words
// (GLSL.std.450).

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

// Whether integers are signed; where the opcode does not say so, their types do.
struct Signs {
    spv::Op opcode;
    std::optional<bool> from, to;
};
constexpr Signs kSigns[] = {
    {OpConvertSToF, true, {}},  {OpConvertUToF, false, {}}, {OpConvertFToS, {}, true},
    {OpConvertFToU, {}, false}, {OpSConvert, true, true},   {OpUConvert, false, false},
};

void convert(Subgroup& s, Out result) {
    const numbers::Conversion conversion = conversionOf(*s.program, *s.at);
    const bool checks = s.checks(kCheckDomain);
    forComponents<1>(s, [&](uint32_t c, uint32_t lane, uint64_t bits) {
        const numbers::Converted to = conversion(bits);
        result.at(c, lane) = to.bits;
        if (!to.defined && checks)
            s.noteOutside(c, lane, "a conversion of a number that its type lacks");
    });
}

// The lanes in which `bits` bits of a value, from `bit` on, are undefined.
LaneMask lacking(const Subgroup& s, const Value& from, uint32_t bit, uint32_t bits) {
    const uint32_t width = scalarOf(*from.type).width, unit = std::min(width, 8u);
    LaneMask lanes = s.mask;
    for (const uint32_t end = bit + bits; bit < end; bit += unit) {
        const LaneMask* component = from.defined + bit / width;
        lanes &= ~*component | s.holes.of(component)[bit % width / 8];
    }
    return lanes;
}

// A component of a bit cast's result, byte by byte. It is defined if one of its bytes is: programs
// pack elements with others that are padding, and take them apart again.
void defineBytes(Subgroup& s, const Value& from, const Value& result, uint32_t c) {
    const uint32_t width = scalarOf(*result.type).width, bits = std::min(width, 8u);
    LaneMask defined;
    Holes::Bytes holes;
    for (uint32_t b = 0; b < width / bits; ++b) {
        holes[b] = lacking(s, from, c * width + b * bits, bits);
        defined |= ~holes[b];
    }
    result.define(c, defined, s.mask);
    s.holes.set(result.defined + c, holes, s.mask & defined);
}

// The same bits as numbers of another width; lower-numbered components are the lower bits.
void bitcast(Subgroup& s, Out result, In from) {
    const uint32_t fromWidth = scalarOf(*from.type).width, toWidth = scalarOf(*result.type).width;
    const bool pointers = from.type->kind == Kind::kPointer || result.type->kind == Kind::kPointer;
    if (fromWidth == toWidth || (pointers && from.components() == result.components()))
        return copyValue(s, result, from, s.mask);
    const bool isWhole = (s.mask & ~definedInAll(from)).none() && s.holes.empty();
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint32_t first = c * toWidth / fromWidth, shift = c * toWidth % fromWidth;
        const uint32_t parts = (shift + toWidth + fromWidth - 1) / fromWidth;
        forLanes(s, [&](uint32_t lane) {
            uint64_t bits = from.at(first, lane) >> shift;
            for (uint32_t p = 1; p < parts; ++p)
                bits |= from.at(first + p, lane) << (p * fromWidth - shift);
            result.at(c, lane) = bits & lowBits(toWidth);
        });
        if (isWhole)
            result.define(c, s.mask, s.mask);
        else
            defineBytes(s, from, result, c);
    }
}

// SPV_EXT_ocp_microscaling_types: bits of a wider number, from an offset on.
void extractBits(Subgroup& s, Out result, In number) {
    const uint32_t from = scalarOf(*number.type).width, to = scalarOf(s.type()).width;
    const bool checks = s.checks(kCheckDomain);
    forComponents<2>(s, [&](uint32_t c, uint32_t lane, uint64_t bits, uint64_t offset) {
        result.at(c, lane) = offset < from ? bits >> offset & lowBits(to) : 0;
        if (offset + to > from && checks) s.noteOutside(c, lane, "bits beyond the number");
    });
}

// Words of fields, each from or to a component by an operation on bits.
template <uint32_t kCount, auto kOp>
void pack(Subgroup& s, In from) {
    const uint32_t width = s.type().width / kCount;
    setLanes(s, [&](uint32_t lane) {
        uint64_t word = 0;
        for (uint32_t c = 0; c < kCount; ++c)
            word |= (kOp(from.at(c, lane), width) & lowBits(width)) << (c * width);
        return word;
    });
}
template <uint32_t kCount, auto kOp>
void unpack(Subgroup& s, Out result, In from) {
    const uint32_t width = from.type->width / kCount;
    forComponents<1>(s, [&](uint32_t c, uint32_t lane, uint64_t word) {
        result.at(c, lane) = kOp((word >> (c * width)) & lowBits(width), width);
    });
}
constexpr auto toHalf = [](uint64_t bits, uint32_t) { return Half::to(Single::from(bits)); };
// Denormal halves "must be flushed to zero" if the module's mode says so (Vulkan, "Precision and
// Operation of SPIR-V Instructions").
void unpackHalves(Subgroup& s, Out result) {
    const bool flushes = s.program->controls(16).flushDenorms;
    forComponents<1>(s, [&](uint32_t c, uint32_t lane, uint64_t word) {
        const uint64_t bits = word >> (c * 16) & lowBits(16);
        const uint64_t half = flushes ? numbers::flushDenormal(numbers::Number::f16, bits) : bits;
        result.at(c, lane) = Single::to(Half::from(half));
    });
}
constexpr auto same = [](uint64_t bits, uint32_t) { return bits; };
// Normalised numbers: 1 is the largest one.
template <bool kSigned>
constexpr auto toNormalised = [](uint64_t bits, uint32_t width) {
    const double value = double(Single::from(bits));
    const double clamped = std::fmin(std::fmax(value, kSigned ? -1.0 : 0.0), 1.0);
    const auto most = double(lowBits(width - kSigned));
    return uint64_t(int64_t(std::nearbyint(clamped * most)));
};
template <bool kSigned>
constexpr auto fromNormalised = [](uint64_t bits, uint32_t width) {
    const auto most = double(lowBits(width - kSigned));
    const auto number = double(kSigned ? signExtend(bits, width) : int64_t(bits));
    return Single::to(float(std::fmax(number / most, -1.0)));
};

constexpr OpcodeRow kConversionRows[] = {
    each<convert>(OpConvertFToU, prepareConversion),
    each<convert>(OpConvertFToS, prepareConversion),
    each<convert>(OpConvertUToF, prepareConversion),
    each<convert>(OpConvertSToF, prepareConversion),
    each<convert>(OpFConvert, prepareConversion),
    each<convert>(OpUConvert, prepareConversion),
    each<convert>(OpSConvert, prepareConversion),
    row<bitcast>(OpBitcast),
    row<bitcast>(OpBitCastArrayQCOM),
    each<extractBits>(OpBitcastExtractEXT),
    row<pack<4, toNormalised<true>>>(GLSLstd450PackSnorm4x8, Defined::kAll),
    row<pack<4, toNormalised<false>>>(GLSLstd450PackUnorm4x8, Defined::kAll),
    row<pack<2, toNormalised<true>>>(GLSLstd450PackSnorm2x16, Defined::kAll),
    row<pack<2, toNormalised<false>>>(GLSLstd450PackUnorm2x16, Defined::kAll),
    row<pack<2, toHalf>>(GLSLstd450PackHalf2x16, Defined::kAll),
    row<pack<2, same>>(GLSLstd450PackDouble2x32, Defined::kAll),
    row<unpack<4, fromNormalised<true>>>(GLSLstd450UnpackSnorm4x8, Defined::kAll),
    row<unpack<4, fromNormalised<false>>>(GLSLstd450UnpackUnorm4x8, Defined::kAll),
    row<unpack<2, fromNormalised<true>>>(GLSLstd450UnpackSnorm2x16, Defined::kAll),
    row<unpack<2, fromNormalised<false>>>(GLSLstd450UnpackUnorm2x16, Defined::kAll),
    row<unpackHalves>(GLSLstd450UnpackHalf2x16, Defined::kAll),
    row<unpack<2, same>>(GLSLstd450UnpackDouble2x32, Defined::kAll),
};

}  // namespace

numbers::Conversion conversionOf(const Program& program, const Instruction& i) {
    const Type& from = scalarOf(*program.slots[i[0].slot].type);
    const Type& to = scalarOf(*i.type);
    Signs signs{i.opcode, {}, {}};
    for (const Signs& row : kSigns)
        if (row.opcode == i.opcode) signs = row;
    const bool towardZero = i.rounding == uint32_t(spv::FPRoundingMode::RTZ);
    const numbers::Rounding decorated =
        towardZero ? numbers::Rounding::towardZero : numbers::Rounding::nearestEven;
    const FloatControls& modes = program.controls(to);
    numbers::ConversionRule rule =
        numbers::conversionRule(i.saturates, i.rounding == kNone ? modes.rounding : decorated);
    rule.flushOperand = from.kind == Kind::kFloat && program.controls(from).flushDenorms;
    rule.flushResult = to.kind == Kind::kFloat && modes.flushDenorms;
    return {numberOf(from, signs.from.value_or(from.isSigned)),
            numberOf(to, signs.to.value_or(to.isSigned)), rule};
}

Rows conversionRows() { return kConversionRows; }

}  // namespace coopvk::reference
