// SPDX-License-Identifier: Apache-2.0
//
// Conversions between numbers, and of bits (SPIR-V, 3.52.11).
#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"
#include "matrices/rows.hpp"
#include "numbers/conversion.hpp"

namespace coopvk::reference {

namespace {

// The operand's and the result's type, where the instruction says how integers are extended.
numbers::Number asInteger(const Type& scalar, bool isSigned) {
    return numbers::integerOf(scalar.width, isSigned).value_or(numbers::Number::u32);
}

template <typename Convert>
Step convertEach(Subgroup& s, const Instruction& i, Convert convert) {
    const Value from = s.operand(i, 0), result = s.result(i);
    for (uint32_t c = 0; c < result.components(); ++c) {
        LaneMask defined = from.defined[c];
        forLanes(s, [&](uint32_t lane) {
            const numbers::Converted to = convert(from.at(c, lane));
            result.at(c, lane) = to.bits;
            if (to.defined) return;
            if (!s.checks(kCheckDomain)) return;
            defined.clear(lane);
            s.noteOutside(i, c, lane, "a conversion of a number that its type lacks");
        });
        result.defined[c] = (result.defined[c] & ~s.mask) | (defined & s.mask);
    }
    s.outside.clear();  // said above
    return Step::kNext;
}

Step convertBetween(Subgroup& s, const Instruction& i, numbers::Number from, numbers::Number to) {
    const FloatControls& controls = controlsOf(*s.program, scalarOf(*i.type));
    const bool towardZero = i.rounding == static_cast<uint32_t>(spv::FPRoundingMode::RTZ) ||
                            (i.rounding == kNone && controls.towardZero);
    const numbers::ConversionRule rule = numbers::conversionRule(
        i.saturates, towardZero ? numbers::Rounding::towardZero : numbers::Rounding::nearestEven);
    return convertEach(s, i, [&](uint64_t bits) { return numbers::convert(from, to, bits, rule); });
}

template <bool kSigned>
Step floatToInteger(Subgroup& s, const Instruction& i) {
    return convertBetween(s, i, numberOf(scalarOf(*s.operand(i, 0).type)),
                          asInteger(scalarOf(*i.type), kSigned));
}
template <bool kSigned>
Step integerToFloat(Subgroup& s, const Instruction& i) {
    return convertBetween(s, i, asInteger(scalarOf(*s.operand(i, 0).type), kSigned),
                          numberOf(scalarOf(*i.type)));
}
// In one step, also from double to half.
template <typename Format, typename From>
numbers::Converted rounded(const Format& format, From value) {
    return {format.to(static_cast<typename Format::Compute>(value))};
}
template <typename From>
numbers::Converted rounded(const Half&, From value) {
    return {std::bit_cast<uint16_t>(static_cast<_Float16>(value))};
}

Step floatToFloat(Subgroup& s, const Instruction& i) {
    const Type& from = scalarOf(*s.operand(i, 0).type);
    const Type& to = scalarOf(*i.type);
    const bool plain = from.format == FloatFormat::kIeee && to.format == FloatFormat::kIeee &&
                       i.rounding == kNone && !i.saturates &&
                       !controlsOf(*s.program, to).towardZero;
    if (!plain) return convertBetween(s, i, numberOf(from), numberOf(to));
    return withFormat(*s.program, from, [&](auto source) {
        return withFormat(*s.program, to, [&](auto target) {
            return convertEach(s, i,
                               [&](uint64_t bits) { return rounded(target, source.from(bits)); });
        });
    });
}
template <bool kSigned>
Step resize(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i, [](uint64_t bits, uint32_t width) {
        return kSigned ? static_cast<uint64_t>(signExtend(bits, width)) : bits;
    });
}
// To the other signedness, with saturation.
template <bool kFromSigned>
Step saturate(Subgroup& s, const Instruction& i) {
    const uint32_t to = scalarOf(*i.type).width;
    return mapIntegers<1>(s, i, [to](uint64_t bits, uint32_t width) -> uint64_t {
        if (!kFromSigned) return std::min(bits, widthMask(to - 1));
        const int64_t value = signExtend(bits, width);
        return value < 0 ? 0 : std::min(static_cast<uint64_t>(value), widthMask(to));
    });
}

// The same bits as numbers of another width; lower-numbered components are the lower bits.
Step bitcast(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    const uint32_t fromWidth = scalarOf(*from.type).width, toWidth = scalarOf(*result.type).width;
    const bool pointers = from.type->kind == Kind::kPointer || result.type->kind == Kind::kPointer;
    if (fromWidth == toWidth || (pointers && from.components() == result.components())) {
        copyValue(result, from, s.mask);
        return Step::kNext;
    }
    const uint32_t ratio = fromWidth > toWidth ? fromWidth / toWidth : toWidth / fromWidth;
    for (uint32_t c = 0; c < result.components(); ++c) {
        LaneMask defined = LaneMask::firstLanes(kMaxLanes);
        if (fromWidth > toWidth) {
            const uint32_t shift = c % ratio * toWidth;
            defined = from.defined[c / ratio];
            forLanes(s, [&](uint32_t lane) {
                result.at(c, lane) = (from.at(c / ratio, lane) >> shift) & widthMask(toWidth);
            });
        } else {
            // Defined where one of the parts is: programs pack elements with others that are
            // padding, and take them apart again.
            defined = {};
            for (uint32_t p = 0; p < ratio; ++p) defined |= from.defined[c * ratio + p];
            forLanes(s, [&](uint32_t lane) {
                uint64_t bits = 0;
                for (uint32_t p = 0; p < ratio; ++p)
                    bits |= from.at(c * ratio + p, lane) << (p * fromWidth);
                result.at(c, lane) = bits;
            });
        }
        result.defined[c] = (result.defined[c] & ~s.mask) | (defined & s.mask);
    }
    return Step::kNext;
}

// To f16 and back, for numbers that need no more (denormals become 0).
Step quantize(Subgroup& s, const Instruction& i) {
    return mapFloats<1>(s, i, [](auto value) {
        const double half = static_cast<double>(static_cast<_Float16>(value));
        constexpr double kSmallest = 0x1p-14;
        if (std::abs(half) < kSmallest) return std::copysign(0.0, half);
        return half;
    });
}

// Matrices whose use changes are converted as a whole.
Status prepareConversion(const Program& program, Instruction& i) {
    if (const Handler handler = matrices::matrixConversion(program, i)) i.handler = handler;
    return Done{};
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpConvertFToU, floatToInteger<false>, Defined::kHandler, prepareConversion),
    row(spv::Op::OpConvertFToS, floatToInteger<true>, Defined::kHandler, prepareConversion),
    row(spv::Op::OpConvertUToF, integerToFloat<false>, Defined::kHandler, prepareConversion),
    row(spv::Op::OpConvertSToF, integerToFloat<true>, Defined::kHandler, prepareConversion),
    row(spv::Op::OpFConvert, floatToFloat, Defined::kHandler, prepareConversion),
    row(spv::Op::OpUConvert, resize<false>, Defined::kComponentwise, prepareConversion),
    row(spv::Op::OpSConvert, resize<true>, Defined::kComponentwise, prepareConversion),
    row(spv::Op::OpSatConvertSToU, saturate<true>, Defined::kComponentwise),
    row(spv::Op::OpSatConvertUToS, saturate<false>, Defined::kComponentwise),
    row(spv::Op::OpBitcast, bitcast),
    row(spv::Op::OpQuantizeToF16, quantize, Defined::kComponentwise),
};

}  // namespace

Rows conversionRows() { return kRows; }

}  // namespace coopvk::reference
