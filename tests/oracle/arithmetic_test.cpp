// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of floats with the modes of SPV_KHR_float_controls: each operation is rounded
// correctly, in the direction of the mode; denormals are kept, or become zeros before and after.
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"

namespace coopvk::oracle::arithmetic_test {
namespace {

struct Instruction {
    const char* text;
    Real (*exact)(const Real&, const Real&, Direction);
};
const Instruction kInstructions[] = {
    {"OpFAdd", [](const Real& a, const Real& b, Direction d) { return sum(a, b, d); }},
    {"OpFSub", [](const Real& a, const Real& b, Direction d) { return sum(a, -b, d); }},
    {"OpFMul", [](const Real& a, const Real& b, Direction) { return a * b; }},
    {"OpFDiv", [](const Real& a, const Real& b, Direction) { return quotient(a, b); }},
};

struct Mode {
    const char* rounding;  // an execution mode, without its width; "": none
    Direction direction;
    const char* denormals;
    bool flushes;
    reference::Settings settings = {};  // what the device does where no mode says it
};
const Mode kModes[] = {{"RoundingModeRTE", Direction::kNearest, "DenormPreserve", false},
                       {"RoundingModeRTZ", Direction::kZero, "DenormPreserve", false},
                       {"RoundingModeRTE", Direction::kNearest, "DenormFlushToZero", true},
                       {"RoundingModeRTZ", Direction::kZero, "DenormFlushToZero", true}};

// A mode alone, and none: the settings say the rest. Modes are stronger.
const uint32_t kAllWidths = 16 + 32 + 64;
using Rounding = reference::Direction;
const Mode kOfSettings[] = {
    {"", Direction::kUp, "", false, {.rounding = Rounding::kUpward}},
    {"", Direction::kDown, "", true, {.rounding = Rounding::kDownward, .flushed = kAllWidths}},
    {"", Direction::kUp, "DenormFlushToZero", true, {.rounding = Rounding::kUpward}},
    {"",
     Direction::kDown,
     "DenormPreserve",
     false,
     {.rounding = Rounding::kDownward, .flushed = kAllWidths}},
    {"RoundingModeRTZ",
     Direction::kZero,
     "",
     true,
     {.rounding = Rounding::kUpward, .flushed = kAllWidths}},
    {"RoundingModeRTE", Direction::kNearest, "", false, {.rounding = Rounding::kDownward}},
};

Real flushed(const Format& format, const Real& value) {
    const bool isDenormal =
        value.isFinite() && !value.isZero() && value.exponent() < 1 - format.bias;
    return isDenormal ? value * Real(0) : value;
}

void setMode(Module& module, const std::string& name, const Format& format) {
    if (name.empty()) return;
    module.capability(name, "SPV_KHR_float_controls");
    module.mode(std::format("{} {}", name, format.bits));
}

std::vector<uint64_t> numbers(const Format& format, Random& random) {
    std::vector<uint64_t> result;
    const size_t count = test::runsAll() ? 400000 : 4000;
    for (size_t i = 0; i < count; ++i)
        result.push_back(elementOf(format, kAllData[random() % std::size(kAllData)], random));
    return result;
}

void expectCorrect(const Format& format, const Instruction& instruction, const Mode& mode,
                   Random& random) {
    const std::vector<uint64_t> inputs = numbers(format, random);
    const auto compute = [&](Module& module, const Id& value) {
        setMode(module, mode.rounding, format);
        setMode(module, mode.denormals, format);
        const Id word = module.scalar(kU32), index = module.builtIn("GlobalInvocationId");
        const Id partner = module.value("OpBitwiseXor " + word + " " + index + " " + module.u32(1));
        return module.value(std::format("{} {} {} {}", instruction.text, module.scalar(format),
                                        value, module.load(0, format, partner)));
    };
    const auto results = mapped(format, format, inputs, compute, mode.settings);
    for (size_t i = 0; i < inputs.size(); ++i) {
        Real a = valueOf(format, inputs[i]), b = valueOf(format, inputs[i ^ 1]);
        if (mode.flushes) a = flushed(format, a);
        if (mode.flushes) b = flushed(format, b);
        Real expected = round(format, instruction.exact(a, b, mode.direction), mode.direction);
        if (mode.flushes) expected = flushed(format, expected);
        const Real result = valueOf(format, results[i]);
        ASSERT_TRUE(areSame(result, expected))
            << instruction.text << " of " << textOf(a) << " and " << textOf(b) << " is "
            << textOf(result) << ", not " << textOf(expected);
    }
}

void expectAll(std::span<const Mode> modes) {
    Random random(67);
    for (const Format* format : {&kF16, &kF32, &kF64})
        for (const Instruction& instruction : kInstructions)
            for (const Mode& mode : modes) {
                SCOPED_TRACE(
                    std::format("{}, {}, {}", format->name, mode.rounding, mode.denormals));
                expectCorrect(*format, instruction, mode, random);
            }
}

TEST(Arithmetic, IsRoundedAsModesSay) { expectAll(kModes); }
TEST(Arithmetic, RoundingsFollowTheSetting) { expectAll(kOfSettings); }

// "If one operand is a NaN, the other operand is the result", whether it is quiet or signaling.
TEST(Arithmetic, MinimaPassOverNan) {
    Random random(71);
    for (const Format* format : {&kF16, &kF32, &kF64})
        for (const bool isLeast : {true, false}) {
            std::vector<uint64_t> inputs = numbers(*format, random);
            const uint64_t infinity = bitsOf(*format, Real::infinity(false));
            for (size_t i = 0; i < inputs.size(); i += 5) inputs[i] = infinity + 1 + random() % 9;
            const auto results =
                mapped(*format, *format, inputs, [&](Module& module, const Id& value) {
                    const Id word = module.scalar(kU32),
                             index = module.builtIn("GlobalInvocationId");
                    const Id other =
                        module.value("OpBitwiseXor " + word + " " + index + " " + module.u32(1));
                    return module.value(std::format(
                        "OpExtInst {} %glsl {} {} {}", module.scalar(*format),
                        isLeast ? "NMin" : "NMax", value, module.load(0, *format, other)));
                });
            for (size_t i = 0; i < inputs.size(); ++i) {
                const Real a = valueOf(*format, inputs[i]), b = valueOf(*format, inputs[i ^ 1]);
                const Real expected = a.isNan() ? b : b.isNan() ? a : ((a < b) == isLeast ? a : b);
                const Real result = valueOf(*format, results[i]);
                ASSERT_TRUE(areSame(result, expected) || (result.isZero() && expected.isZero()))
                    << textOf(a) << " and " << textOf(b) << ": " << textOf(result);
            }
        }
}

}  // namespace
}  // namespace coopvk::oracle::arithmetic_test
