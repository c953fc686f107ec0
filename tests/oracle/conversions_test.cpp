// SPDX-License-Identifier: Apache-2.0
//
// Conversions between all formats: each pattern of formats of at most 16 bits, and of wider ones
// the numbers around each rounding boundary of the result's format.
#include <gtest/gtest.h>

#include "../test_part.hpp"
#include "device.hpp"

namespace coopvk::oracle::conversions_test {
namespace {

using reference::Settings;

struct Conversion {
    const Format &from, &to;
    Direction direction = Direction::kNearest;
    Overflow overflow = Overflow::kIeee;
};

// SPV_KHR_bfloat16: "first convert the source value to IEEE754 binary32, and then from IEEE754
// binary32 to the target format".
Real converted(const Conversion& c, const Real& value) {
    const bool hasBfloat = &c.from == &kBf16 || &c.to == &kBf16;
    const Real through = hasBfloat ? round(kF32, value, c.direction) : value;
    const Direction direction = c.to.isFloat() ? c.direction : Direction::kZero;
    return round(c.to, through, direction, c.overflow);
}

// Results beyond the range, which the texts leave undefined.
bool isDefined(const Conversion& c, const Real& value) {
    if (c.to.isInteger() && c.from.isInteger()) return true;
    const bool mayOverflow = c.to.kind == Kind::kIeee || c.to.kind == Kind::kOneNan;
    // Toward zero: whether a number just above the largest is "outside of the representable range"
    // of an 8-bit float is not said.
    if (mayOverflow && (c.direction == Direction::kNearest || c.to.bits > 8)) return true;
    if (!value.isFinite()) return false;
    if (!c.to.isInteger()) return value.magnitudeOf() <= c.to.largest();
    const Real whole = value.whole(Direction::kZero);
    return converted(c, whole) == whole;
}

// OpUConvert gives unsigned integers only.
bool isExtendedBySign(const Conversion& c) { return c.from.isSigned() || c.to.isSigned(); }

// Integers: of the same bits, extended or cut.
uint64_t expectedBits(const Conversion& c, uint64_t input) {
    if (!c.from.isInteger() || !c.to.isInteger())
        return bitsOf(c.to, converted(c, valueOf(c.from, input)));
    const int unused = 64 - c.from.bits;
    const auto extended = uint64_t(int64_t(input << unused) >> unused);
    return (isExtendedBySign(c) ? extended : input) & c.to.mask();
}

std::string opcodeOf(const Conversion& c) {
    const bool fromFloat = !c.from.isInteger(), toFloat = !c.to.isInteger();
    if (fromFloat && toFloat) return "OpFConvert ";
    if (fromFloat) return c.to.isSigned() ? "OpConvertFToS " : "OpConvertFToU ";
    if (toFloat) return c.from.isSigned() ? "OpConvertSToF " : "OpConvertUToF ";
    return isExtendedBySign(c) ? "OpSConvert " : "OpUConvert ";
}

void expectConversion(const Conversion& c, const std::vector<uint64_t>& candidates,
                      const Settings& settings = {}, const std::string& mode = "") {
    std::vector<uint64_t> inputs;
    for (const uint64_t input : candidates)
        if (isDefined(c, valueOf(c.from, input))) inputs.push_back(input);
    ASSERT_FALSE(inputs.empty());
    const auto results = mapped(
        c.from, c.to, inputs,
        [&](Module& module, const Id& value) {
            if (!mode.empty()) {
                module.capability(mode.substr(0, mode.find(' ')));
                module.mode(mode);
            }
            const Id result = module.value(opcodeOf(c) + module.scalar(c.to) + " " + value);
            if (c.overflow == Overflow::kSaturate)
                module.decorate(result + " SaturatedToLargestFloat8NormalConversionEXT");
            return result;
        },
        settings);
    uint32_t faults = 0;
    for (size_t i = 0; i < inputs.size() && faults < 4; ++i) {
        const Real input = valueOf(c.from, inputs[i]), result = valueOf(c.to, results[i]);
        const Real expected = valueOf(c.to, expectedBits(c, inputs[i]));
        if (areSame(result, expected)) continue;
        ++faults;
        ADD_FAILURE() << c.from.name << " " << textOf(input) << " to " << c.to.name << " is "
                      << textOf(result) << ", not " << textOf(expected) << ", direction "
                      << int(c.direction) << ", saturated " << int(c.overflow);
    }
}

const Format* const kFloats[] = {&kF16, &kF32, &kF64, &kBf16, &kE4m3, &kE5m2};
const Format* const kSmallFloats[] = {&kE2m1, &kE2m3, &kE3m2, &kE8m0, &kMxInt8};
const Format* const kIntegers[] = {&kS8, &kS16, &kS32, &kS64, &kU8, &kU16, &kU32, &kU64};

// Of a format of more than 16 bits, or more than 8 in the short run: numbers of `to`, those in the
// middle between two, and the next ones on both sides; and any patterns.
std::vector<uint64_t> candidatesOf(const Format& from, const Format& to, Random& random) {
    if (from.bits <= 8 || (from.bits <= 16 && test::runsAll())) return allPatterns(from);
    std::vector<uint64_t> result = {0, uint64_t{1} << (from.bits - 1), from.mask(),
                                    from.mask() >> 1, 1};
    const size_t count = test::runsAll() ? 100000 : 500;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t pattern = to.bits <= 8 ? i & to.mask() : random() & to.mask();
        const Real at = valueOf(to, pattern);
        result.push_back(random() & from.mask());
        result.push_back((random() & from.mask()) >> (random() % uint64_t(from.bits)));
        if (!at.isFinite()) continue;
        const Real half = unitAt(to, at).scaled(-1);
        for (const Real& near : {at, at + half, at - half, at + half + half}) {
            const Real number = round(from, near, Direction::kZero);
            if (!number.isFinite()) continue;
            const uint64_t bits = bitsOf(from, number);
            for (const uint64_t each : {bits, bits + 1, bits - 1})
                result.push_back(each & from.mask());
        }
    }
    return result;
}

class Conversions : public testing::Test {
 protected:
    Random random{5};
    void all(std::span<const Format* const> froms, std::span<const Format* const> tos,
             Conversion way = {kF32, kF32}, const Settings& settings = {}) {
        for (const Format* from : froms)
            for (const Format* to : tos) {
                if (from == to) continue;
                SCOPED_TRACE(std::string(from->name) + " to " + std::string(to->name));
                const Conversion c = {*from, *to, way.direction, way.overflow};
                expectConversion(c, candidatesOf(*from, *to, random), settings);
            }
    }
};

TEST_F(Conversions, OfFloatsAreRoundedToNearestEven) { all(kFloats, kFloats); }

// Vulkan has no conversions to these formats.
TEST_F(Conversions, OfMicroscalingFormats) { all(kSmallFloats, kFloats); }

TEST_F(Conversions, OfFloatsToIntegersCut) { all(kFloats, kIntegers); }

TEST_F(Conversions, OfIntegersAreRoundedToNearestEven) { all(kIntegers, kFloats); }

TEST_F(Conversions, OfIntegersKeepBits) {
    for (const Format* from : kIntegers)
        for (const Format* to : kIntegers)
            if (from->bits != to->bits)
                expectConversion({*from, *to}, candidatesOf(*from, *to, random));
}

TEST_F(Conversions, OfFourBitIntegers) {
    const Format* const four[] = {&kS4, &kU4};
    for (const Format* from : kIntegers)
        for (const Format* to : four) {
            if (from->isSigned() != to->isSigned()) continue;
            expectConversion({*from, *to}, candidatesOf(*from, *to, random));
            expectConversion({*to, *from}, allPatterns(*to));
        }
    const Format* const floats[] = {&kF16, &kF32};
    all(four, floats);
    all(floats, four);
}

TEST_F(Conversions, ToSmallFloatsSaturateWhereDecorated) {
    const Format* const small[] = {&kE4m3, &kE5m2};
    const Conversion way = {kF32, kF32, Direction::kNearest, Overflow::kSaturate};
    all(kFloats, small, way);
    all(kIntegers, small, way);
}

TEST_F(Conversions, FollowTheSettingOfRounding) {
    const Format* const wide[] = {&kF32, &kF64};
    const Format* const narrow[] = {&kF16, &kBf16, &kE4m3, &kE5m2};
    Settings settings;
    settings.rounding = reference::Direction::kUpward;
    all(wide, narrow, {kF32, kF32, Direction::kUp}, settings);
    settings.rounding = reference::Direction::kDownward;
    all(wide, narrow, {kF32, kF32, Direction::kDown}, settings);
}

TEST_F(Conversions, FollowModes) {
    const Conversion toHalf = {kF32, kF16, Direction::kZero};
    expectConversion(toHalf, candidatesOf(kF32, kF16, random), {}, "RoundingModeRTZ 16");
    const Conversion toSingle = {kF64, kF32, Direction::kZero};
    expectConversion(toSingle, candidatesOf(kF64, kF32, random), {}, "RoundingModeRTZ 32");
    const Conversion nearest = {kF64, kF16, Direction::kNearest};
    expectConversion(nearest, candidatesOf(kF64, kF16, random), {}, "RoundingModeRTE 16");
}

}  // namespace
}  // namespace coopvk::oracle::conversions_test
